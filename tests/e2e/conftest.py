"""A real server: `manage.py serve` in a process of its own, with a data directory of its own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import httpx
import psutil
import pytest
from django.conf import settings

COMMAND = [sys.executable, "manage.py", "serve"]


class Server:
    """`manage.py serve` on a free port, and a client for it."""

    def __init__(self, data_dir: Path, *arguments: str, **environment: str) -> None:
        self.data_dir = data_dir
        self.process = launch(data_dir, "--port", "0", *arguments, **environment)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stdout.read()
        # A pipe that nobody reads would hold the server up as soon as it is full.
        self.output: list[str] = []
        self._reader = Thread(target=self.output.extend, args=[self.process.stdout], daemon=True)
        self._reader.start()
        self.url = found[0]
        self.client = httpx.Client(base_url=self.url, timeout=60)

    def stop(self, sign: int = signal.SIGINT) -> int:
        """Stop the server as a person does; its exit status."""
        self.client.close()
        self.process.send_signal(sign)
        self._end()
        return self.process.returncode

    def _end(self) -> None:
        self.process.wait(timeout=60)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def kill_everything(self) -> None:
        """SIGKILL of the server and of the whole database under it."""
        self.client.close()
        for pid in [self.process.pid, *database_pids(self.data_dir)]:
            with suppress(ProcessLookupError):  # a backend ends by itself after the postmaster
                os.kill(pid, signal.SIGKILL)
        self._end()


def launch(data_dir: Path, *arguments: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=settings.BASE_DIR,
        env=environment_of(data_dir, **environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def environment_of(data_dir: Path, **environment: str) -> dict[str, str]:
    """The environment of a command that uses a data directory and its embedded database."""
    ours = {
        "MEMMACHINE_DATA_DIR": str(data_dir),
        "MEMMACHINE_EMBEDDER": "hashing",
        "DATABASE_URL": "",
    }
    return {**os.environ, **ours, **environment}


def database_pids(data_dir: Path) -> list[int]:
    """The postmaster on a data directory and all its backends."""
    pid_file = data_dir / "postgres" / "data" / "postmaster.pid"
    if not pid_file.exists():
        return []
    try:
        postmaster = psutil.Process(int(pid_file.read_text().split()[0]))
    except psutil.NoSuchProcess:
        return []
    return [postmaster.pid, *(child.pid for child in postmaster.children(recursive=True))]


@contextmanager
def running(data_dir: Path, *arguments: str, **environment: str) -> Iterator[Server]:
    server = Server(data_dir, *arguments, **environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="package")
def server(tmp_path_factory) -> Iterator[Server]:
    """One server for all tests that do not stop it."""
    with running(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture
def client(server: Server) -> httpx.Client:
    return server.client
