"""One embedded server that several processes share, and that the last one out stops."""

import atexit
import fcntl
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from memmachine.embedded.errors import EmbeddedPostgresError
from memmachine.embedded.files import lock_now, private
from memmachine.embedded.server import SOCKET, USER, Server

SOCKET_BYTES = 107  # what the system allows for the name of a socket


@dataclass(frozen=True)
class ConnectionInfo:
    """What a client needs to connect: libpq's own names."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)


class Cluster:
    """A process's part in the server under `home`.

    `home/lock` is locked while the server is started or stopped; `home/users` is locked, shared,
    by every process that uses it. The system drops both locks with the process, so a kill
    leaves nothing stale.
    """

    def __init__(self, home: Path) -> None:
        self.home = home.absolute()
        self._server = Server(self.home)
        self._mutex = threading.Lock()
        self._users: IO[str] | None = None
        self._run: int | None = None
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.release)

    def start(self) -> ConnectionInfo:
        """Take part in the server, started if need be; cheap when nothing is to be done."""
        with self._mutex:
            try:
                if self._users is None or self._server.process() is None:
                    self._make_home()
                    with self._alone():
                        self._join()
                return self._connection()
            except OSError as error:
                raise EmbeddedPostgresError(
                    f"the database folder {self.home} cannot be used"
                    f" ({error.strerror}: {error.filename});"
                    " set MEMMACHINE_DATA_DIR to a folder that you own and can write to"
                ) from error

    def release(self) -> None:
        """Take part no longer, and stop the server if nobody else does."""
        with self._mutex:
            if self._users is None:
                return
            # Without its folder a server ends by itself.
            with suppress(FileNotFoundError), self._alone():
                self._leave(self._users)

    def _join(self) -> None:
        self._close()
        self._users = users = private(self.home / "users")
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            self._server.start()
        except BaseException:
            self._leave(users)
            raise

    def _leave(self, users: IO[str]) -> None:
        try:
            if lock_now(users):  # nobody else holds it
                self._server.stop()
        finally:
            self._close()

    def _close(self) -> None:
        if self._users is not None:
            self._users.close()
        if self._run is not None:
            os.close(self._run)
        self._users = self._run = None

    def _forget(self) -> None:
        """A forked child has no part in what its parent takes part in."""
        self._mutex = threading.Lock()
        self._close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with private(self.home / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # a child forked meanwhile has it open as well

    def _make_home(self) -> None:
        for folder in reversed([self.home, *self.home.parents]):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        for folder in (self.home, self._server.data):
            if folder.exists() and os.geteuid() not in (0, folder.stat().st_uid):
                raise EmbeddedPostgresError(
                    f"the database folder {folder} belongs to another user;"
                    " set MEMMACHINE_DATA_DIR to a folder of your own"
                )

    def _connection(self) -> ConnectionInfo:
        return ConnectionInfo(self._host(), 5432, USER, self._server.password.read_text())

    def _host(self) -> str:
        """The socket's folder; through a descriptor where libpq cannot use its name."""
        host = str(self._server.run)
        if "," not in host and len(os.fsencode(f"{host}/{SOCKET}")) <= SOCKET_BYTES:
            return host
        if sys.platform != "linux":
            raise EmbeddedPostgresError(
                f"the name of the folder {host} is too long for a socket, or has a comma in it;"
                " set MEMMACHINE_DATA_DIR to a shorter one"
            )
        if self._run is None:
            self._run = os.open(host, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._run}"


_clusters: dict[str, Cluster] = {}


def cluster(home: Path | str) -> Cluster:
    """This process's one Cluster for a folder."""
    key = os.path.abspath(home)
    if key not in _clusters:
        _clusters.setdefault(key, Cluster(Path(key)))  # of two threads, the first sets it
    return _clusters[key]
