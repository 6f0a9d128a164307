"""A real server with a replica: what is read there, and what becomes of it when that is lost."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Server, running
from tests.e2e.pair import Pair

MEMORY = "/v1/tenants/t"

pytestmark = pytest.mark.xdist_group("replica")  # one pair of servers for all


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
    server.stop()
    log = "".join(server.output)
    assert log.count("The replica is lost") == 1, log
    assert log.count("The replica is back") == 1
    assert "Traceback" not in log
