"""The PostgreSQL of one folder: made, started, found again and stopped."""

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from memmachine.embedded.account import Account, reachable
from memmachine.embedded.binaries import programs
from memmachine.embedded.errors import EmbeddedPostgresError
from memmachine.embedded.files import lock_now, private
from memmachine.embedded.options import server_options

USER = "memmachine"
SOCKET = ".s.PGSQL.5432"
LEFTOVERS_SECONDS = 30


class Server:
    """The server on `home/data`. Its caller sees to it that one process at a time calls it.

    Whatever runs on the data, `initdb` too, inherits a lock on `home/server`. It stays locked
    until the last of them is gone, whoever started them and however they ended.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "data"
        self.run = home / "run"
        self.password = home / "password"
        self.log = home / "log"
        self._child: subprocess.Popen[str] | None = None

    def process(self) -> psutil.Process | None:
        """The postmaster, unless it is stopping.

        Its pid alone proves nothing: in a container another program soon has the same.
        """
        with suppress(OSError, ValueError, psutil.Error):
            pid, *_, state = self._pid_file()
            process = psutil.Process(int(pid))
            if state != "stopping" and os.path.samefile(process.cwd(), self.data):
                return process
        return None

    def start(self) -> None:
        """Make sure that the server runs and accepts connections."""
        process = self._find_or_launch()
        # Crash recovery takes as long as it takes.
        while self._pid_file()[::7] != [str(process.pid), "ready"]:
            if not _lives(process):
                raise EmbeddedPostgresError(
                    f"the database in {self.data} did not start: {_one_line(self._log_end())}"
                )
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop the server, and return when all its processes have let go of the data."""
        if process := self.process():
            process.send_signal(signal.SIGINT)  # PostgreSQL's "fast" shutdown
            with private(self.home / "server") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
            if self._child:
                self._child.wait()

    def _pid_file(self) -> list[str]:
        """The lines of `postmaster.pid`: the first is the pid, the eighth and last the state."""
        try:
            lines = (self.data / "postmaster.pid").read_text().split("\n")
        except FileNotFoundError:
            return []
        return [line.strip() for line in lines[:8]]

    def _find_or_launch(self) -> psutil.Process:
        deadline = time.monotonic() + LEFTOVERS_SECONDS
        while True:
            if process := self.process():
                return process
            with private(self.home / "server") as lock:
                if lock_now(lock):
                    return self._launch(lock.fileno())
            # A server that is stopping, or what a killed one left behind.
            if time.monotonic() > deadline:
                raise EmbeddedPostgresError(
                    f"{self.data} is in use by a server that we do not see (in another container?);"
                    " stop it, or set MEMMACHINE_DATA_DIR to another folder"
                )
            time.sleep(0.05)

    def _launch(self, lock: int) -> psutil.Process:
        account = Account.of(self.data)
        folder = programs(account)
        if not (self.data / "PG_VERSION").exists():
            self._create(account, folder, lock)
        self.run.mkdir(mode=0o700, exist_ok=True)
        account.own(self.run)
        # We have the lock, so no server of this folder lives: these name other programs.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.run / f"{SOCKET}.lock").unlink(missing_ok=True)
        if self._child:
            self._child.wait()
        with (
            private(self.log, "a") as log,
            reachable(self.data, self.run) as ((data, run), fds),
        ):
            self._child = account.spawn(
                *(folder / "postgres", "-D", data, "-k", run),
                *(f"--{name}={value}" for name, value in server_options().items()),
                pass_fds=[*fds, lock],
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C at the terminal is ours to handle
            )
        return psutil.Process(self._child.pid)

    def _create(self, account: Account, folder: Path, lock: int) -> None:
        """Run `initdb` beside the data folder, so that an interrupted one counts for nothing."""
        draft = self.home / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        account.own(draft)
        password = secrets.token_urlsafe(32)
        with private(self.password) as file:
            file.write(password)
            file.flush()
            os.fsync(file.fileno())
        with (
            tempfile.TemporaryFile("w", dir=self.home) as secret,
            reachable(draft) as ((data,), fds),
        ):
            secret.write(password)
            secret.seek(0)
            account.own(secret.fileno())
            with account.spawn(
                *(folder / "initdb", "-D", data, "-U", USER, "-E", "UTF8", "--locale=C"),
                *("--auth-local=scram-sha-256", "--auth-host=reject"),
                f"--pwfile=/dev/fd/{secret.fileno()}",
                pass_fds=[*fds, lock, secret.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            ) as initdb:
                _, complaint = initdb.communicate()
        if initdb.returncode != 0:
            raise EmbeddedPostgresError(
                f"no database could be made in {self.home}: {_one_line(complaint)}"
            )
        draft.rename(self.data)
        folder_fd = os.open(self.home, os.O_RDONLY)
        os.fsync(folder_fd)  # or a power cut could undo the rename, and rows with it
        os.close(folder_fd)

    def _log_end(self) -> str:
        with self.log.open("rb") as log:
            log.seek(max(self.log.stat().st_size - 4096, 0))
            return log.read().decode(errors="replace")


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _one_line(text: str) -> str:
    return " ".join(" ".join(text.strip().splitlines()[-4:]).split())
