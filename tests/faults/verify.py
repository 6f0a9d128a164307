"""A whole memory, through the API and in the database, held against what was answered."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from tests.faults.deployment import Deployment
from tests.faults.events import shape_of
from tests.faults.ledger import Ledger, Outcome
from tests.faults.load import Caller


def verify(deployment: Deployment, tenant: str, ledger: Ledger) -> set[UUID]:
    """The events held, each of them whole: all that was answered 200, and no refused one."""
    assert ledger.faults == []
    deployment.database.wait_until_quiet()
    caller = deployment.caller(tenant, ledger)
    listed = list(walk_events(caller))
    held = set(listed)
    assert len(listed) == len(held), "an event is there twice"
    check_answers(ledger, held)
    check_rows(deployment, tenant, held)
    check_recall(caller, held)
    caller.http.close()
    assert ledger.faults == []
    return held


def check_answers(ledger: Ledger, held: set[UUID]) -> None:
    posted: set[UUID] = set()
    for batch in ledger.batches:
        ids = set(batch.ids)
        posted |= ids
        if batch.stored:
            missing = ids - held - ledger.forgotten - ledger.perhaps_forgotten
            assert not missing, f"lost after {batch.outcome}: {missing}"
        elif batch.unknown:
            assert ids <= held or not ids & held, f"in part: {batch}"
        else:
            assert not ids & held, f"stored and refused: {batch}"
    assert not held & ledger.forgotten, "forgotten and still there"
    assert held <= posted


def check_rows(deployment: Deployment, tenant: str, held: set[UUID]) -> None:
    rows = deployment.database.rows(deployment.database.lives(tenant))
    assert Counter(uuid for uuid, _ in rows) == Counter(held)
    check_whole(deployment, rows)


def check_whole(deployment: Deployment, rows: list[tuple[UUID, str]]) -> None:
    """Every event has the rows that one clean ingest of it makes, and no row is without one."""
    parts = [uuid for uuid, digest in rows if digest != deployment.reference[shape_of(uuid)]]
    assert parts == []
    assert deployment.database.strays() == []


def check_recall(caller: Caller, held: set[UUID]) -> None:
    """A walk from a hit meets every event of the hit's session that has a segment."""
    by_session = defaultdict(set)
    for event in walk(caller, "/events", "events", limit=1000):
        if event["blocks"]:
            by_session[event["session_id"]].add(event["id"])
    for session_id, ids in by_session.items():
        question = {"query": "The build hangs", "session_ids": [session_id], "limit": 1}
        outcome, found = caller.call("POST", "/episodic-memory/query", json=question)
        assert outcome == Outcome.DONE
        for hit in found["hits"]:
            seed = hit["segments"][hit["seed"]]
            met = [*side(caller, seed, "before"), seed, *side(caller, seed, "after")]
            assert len({segment["uuid"] for segment in met}) == len(met)
            assert {segment["event_uuid"] for segment in met} == ids


def side(caller: Caller, anchor: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    while True:
        step = {"before": 0, "after": 0, name: 500, "anchor": anchor["uuid"]}
        outcome, found = caller.call("POST", "/episodic-memory/expand", json=step)
        assert outcome == Outcome.DONE
        if not found[name]:
            return
        yield from found[name]
        anchor = found[name][0 if name == "before" else -1]


def walk_events(caller: Caller) -> Iterator[UUID]:
    for event in walk(caller, "/events", "events", limit=300):
        yield UUID(event["id"])


def walk(caller: Caller, path: str, key: str, **params: Any) -> Iterator[dict[str, Any]]:
    while True:
        outcome, page = caller.call("GET", path, params=params)
        assert outcome == Outcome.DONE, "not listed"
        yield from page[key]
        if page["next"] is None:
            return
        params["cursor"] = page["next"]


def retry_all(deployment: Deployment, tenant: str, ledger: Ledger) -> None:
    """Post every batch once more: the ids are there after it, once."""
    caller = deployment.caller(tenant, ledger)
    for batch in ledger.batches:
        before = batch.outcome
        outcome = caller.post(batch)
        assert outcome in (Outcome.DONE, Outcome.EXISTS)
        if outcome == Outcome.DONE:
            gone = ledger.forgotten | ledger.perhaps_forgotten
            assert before not in (Outcome.DONE, Outcome.EXISTS) or set(batch.ids) <= gone
            ledger.forgotten -= set(batch.ids)
            ledger.perhaps_forgotten -= set(batch.ids)
    caller.http.close()
