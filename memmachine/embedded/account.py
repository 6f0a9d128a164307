"""Who the database server runs as, and how that user reaches folders that only root can walk to."""

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memmachine.embedded.errors import EmbeddedPostgresError


@dataclass(frozen=True)
class Account:
    """The user that owns the data: ourselves, or for root, whom PostgreSQL refuses, another."""

    uid: int
    gid: int

    @classmethod
    def of(cls, data: Path) -> "Account":
        """The account for a data folder: that of its owner, once there is one."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if data.exists():
            return cls(data.stat().st_uid, data.stat().st_gid)
        wanted = os.environ.get("MEMMACHINE_POSTGRES_USER")
        for name in [wanted] if wanted else ["postgres", "nobody"]:
            try:
                user = pwd.getpwnam(name)
            except KeyError:
                continue
            if user.pw_uid != 0:
                return cls(user.pw_uid, user.pw_gid)
        raise EmbeddedPostgresError(
            f"PostgreSQL does not run as root, and the user {wanted or 'nobody'} cannot run it;"
            " set MEMMACHINE_POSTGRES_USER to a user of this system"
        )

    @property
    def is_ours(self) -> bool:
        """Whether it is the account that we run as ourselves."""
        return self.uid == os.geteuid()

    def own(self, target: Path | int) -> None:
        """Hand a file or folder that we made to the account."""
        if not self.is_ours:
            os.chown(target, self.uid, self.gid)

    def spawn(self, *command: str | Path, **options: Any) -> subprocess.Popen[str]:
        """Start a program as the account, with nothing of our environment or working folder."""
        if not self.is_ours:
            options.update(user=self.uid, group=self.gid, extra_groups=[])
        return subprocess.Popen(
            command,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            text=True,
            **options,
        )

    def can_run(self, program: Path) -> bool:
        """Whether the account reaches the program and the libraries that it needs."""
        quiet = subprocess.DEVNULL
        try:
            with self.spawn(program, "--version", stdout=quiet, stderr=quiet) as process:
                return process.wait() == 0
        except OSError:
            return False


@contextmanager
def reachable(*folders: Path) -> Iterator[tuple[list[str], list[int]]]:
    """Names under which a child that inherits the descriptors finds the folders.

    On Linux these go through the descriptors: nothing above a folder has to be open to the
    child's user, and no name is too long for a socket.
    """
    with ExitStack() as stack:
        if sys.platform != "linux":
            yield [str(folder) for folder in folders], []
            return
        fds = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in folders]
        for fd in fds:
            stack.callback(os.close, fd)
        yield [f"/proc/self/fd/{fd}" for fd in fds], fds
