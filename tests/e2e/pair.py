"""A primary and a standby that streams from it, both embedded servers."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

import psycopg
from django.conf import settings

from memmachine.embedded.account import Account
from memmachine.embedded.binaries import programs
from memmachine.embedded.cluster import Cluster, ConnectionInfo
from tests.e2e.conftest import environment_of


class Pair:
    """A migrated primary and its standby, on sockets that both of their accounts can reach."""

    def __init__(self, folder: Path) -> None:
        for name in ("primary", "standby"):
            (folder / name).mkdir()
            (folder / name).chmod(0o755)
        self.primary, self.standby = Cluster(folder / "primary"), Cluster(folder / "standby")
        self.primary_info = self.primary.start()
        with self.connect(self.primary_info, "postgres") as database:
            database.execute("CREATE DATABASE memmachine")
        self._copy(folder / "standby")
        self.standby_info = self.standby.start()
        self.environment = {
            "DATABASE_URL": url(self.primary_info),
            "MEMMACHINE_REPLICA_URL": url(self.standby_info),
        }
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=settings.BASE_DIR,
            env=environment_of(folder / "data", **self.environment),
            check=True,
        )

    def _copy(self, home: Path) -> None:
        """A base backup, which knows whom to stream from."""
        account = Account.of(self.primary.home / "data")
        (home / "data").mkdir(mode=0o700)
        account.own(home / "data")
        shutil.copy(self.primary.home / "password", home / "password")
        info = psycopg.conninfo.make_conninfo(**asdict(self.primary_info))
        with account.spawn(
            programs(account) / "pg_basebackup",
            *("-D", home / "data", "-d", info, "-R", "-X", "stream", "-c", "fast"),
        ) as backup:
            assert backup.wait() == 0

    @staticmethod
    def connect(info: ConnectionInfo, name: str = "memmachine") -> psycopg.Connection:
        return psycopg.connect(**asdict(info), dbname=name, autocommit=True)

    def catch_up(self) -> None:
        """Return when the standby has replayed all that the primary wrote."""
        with self.connect(self.primary_info) as primary, self.connect(self.standby_info) as standby:
            assert standby.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
            written = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone()
            replayed = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            while standby.execute(replayed, written).fetchone() != (True,):
                time.sleep(0.01)

    @contextmanager
    def lagging(self) -> Iterator[None]:
        """The standby stands still at what it has."""
        self.catch_up()
        with self.connect(self.standby_info) as standby:
            standby.execute("SELECT pg_wal_replay_pause()")
            try:
                yield
            finally:
                standby.execute("SELECT pg_wal_replay_resume()")


def url(info: ConnectionInfo) -> str:
    host = quote(info.host, safe="")
    return f"postgres://{info.user}:{info.password}@{host}:{info.port}/memmachine"
