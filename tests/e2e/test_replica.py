"""A real server with a primary and a standby that streams from it, both embedded servers."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings

from memmachine.embedded.account import Account
from memmachine.embedded.binaries import programs
from memmachine.embedded.cluster import Cluster, ConnectionInfo
from tests.e2e.conftest import Server, environment_of, running

MEMORY = "/v1/tenants/t"

pytestmark = pytest.mark.xdist_group("replica")  # one pair of servers for all


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


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        pair = Pair(folder)
        yield pair
        pair.standby.release()
        pair.primary.release()


@pytest.fixture
def server(pair: Pair, tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path, **pair.environment) as server:
        server.client.delete(MEMORY)
        server.client.put(MEMORY).raise_for_status()
        yield server


def post(server: Server, words: str) -> str:
    event = {"session_id": words, "blocks": [{"kind": "text", "text": words}]}
    answer = server.client.post(f"{MEMORY}/events", json=[event])
    return answer.raise_for_status().json()["stored"][0]


def query(server: Server) -> list[dict]:
    ask = {"query": "the foghorn"}
    answer = server.client.post(f"{MEMORY}/episodic-memory/query", json=ask)
    return answer.raise_for_status().json()["hits"]


def reads(server: Server, event: str) -> list[object]:
    """What every read of a memory answers."""
    hits = query(server)
    anchor = {"anchor": hits[0]["segments"][0]["uuid"]}
    return [
        hits,
        server.client.post(f"{MEMORY}/episodic-memory/expand", json=anchor).json(),
        server.client.get(f"{MEMORY}/events").json(),
        server.client.get(f"{MEMORY}/events/{event}").json(),
        server.client.get(f"{MEMORY}/sessions").json(),
    ]


def is_read_from_the_replica(pair: Pair, server: Server) -> bool:
    """Told by what a replica that lags does not know."""
    before = len(query(server))
    with pair.lagging():
        post(server, "a foghorn more")
        known = len(query(server))
    pair.catch_up()
    assert len(query(server)) == before + 1
    return known == before


def test_every_read_is_answered_by_the_replica_and_every_write_by_the_primary(pair, server):
    first = post(server, "the foghorn")
    pair.catch_up()
    before = reads(server, first)
    with pair.lagging():
        second = post(server, "the foghorn again")
        assert reads(server, first) == before
        assert server.client.get(f"{MEMORY}/events/{second}").status_code == 404
        server.client.post(f"{MEMORY}/events/delete", json={"ids": [first]}).raise_for_status()
        assert reads(server, first) == before
    pair.catch_up()
    assert len(query(server)) == 1


def test_a_tenant_that_the_replica_does_not_know_yet_is_read_from_the_primary(pair, server):
    with pair.lagging():
        server.client.delete(MEMORY).raise_for_status()
        assert server.client.get(f"{MEMORY}/events").status_code == 404
        server.client.put(MEMORY).raise_for_status()
        event = post(server, "the foghorn")
        unreplicated = reads(server, event)
        assert len(query(server)) == 1
    pair.catch_up()
    assert reads(server, event) == unreplicated
    assert is_read_from_the_replica(pair, server)


def test_the_primary_answers_while_the_replica_is_lost(pair, server):
    event = post(server, "the foghorn")
    assert is_read_from_the_replica(pair, server)
    answers = reads(server, event)
    pair.standby.release()
    assert reads(server, event) == answers
    post(server, "the foghorn again")
    assert len(query(server)) == 3
    pair.standby.start()
    deadline = time.monotonic() + 30
    while not is_read_from_the_replica(pair, server):
        assert time.monotonic() < deadline
        time.sleep(1)
    server.client.close()
    server.process.send_signal(signal.SIGINT)
    log, _ = server.process.communicate(timeout=60)
    assert log.count("The replica is lost") == 1, log
    assert log.count("The replica is back") == 1
    assert "Traceback" not in log
