"""What the tests of the embedded server share."""

import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

import psutil
import psycopg
import pytest

from memmachine.embedded.cluster import Cluster, ConnectionInfo
from memmachine.embedded.errors import EmbeddedPostgresError

ROOT = Path(__file__).parents[3]
STRANGER = pwd.getpwnam("daemon").pw_uid
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def postmaster(home: Path) -> int | None:
    """The pid of the server, if it runs."""
    with suppress(FileNotFoundError):
        pid = int((home / "data/postmaster.pid").read_text().split()[0])
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).name() == "postgres":
                return pid
    return None


def kill(pid: int | None) -> None:
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        with suppress(psutil.NoSuchProcess):
            while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.001)


def execute(server: ConnectionInfo, statement: str) -> list[tuple]:
    with psycopg.connect(**asdict(server), dbname="postgres") as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def script(code: str, home: Path) -> subprocess.Popen[str]:
    """Another process of ours: `cluster` is its part in the server."""
    prelude = (
        "import os, sys, pathlib\n"
        "from memmachine.embedded.cluster import Cluster\n"
        "cluster = Cluster(pathlib.Path(sys.argv[1]))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", prelude + code, home],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@contextmanager
def user_of(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that takes part until the block ends."""
    with script("cluster.start(); print('in', flush=True); sys.stdin.read()", home) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        yield process


@contextmanager
def stranger() -> Iterator[None]:
    os.seteuid(STRANGER)
    try:
        yield
    finally:
        os.seteuid(0)


def refusal(home: Path) -> str:
    """The message of a start that must fail, which is one line."""
    with pytest.raises(EmbeddedPostgresError) as caught:
        Cluster(home).start()
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message
