"""Clients that post, forget, query and list, all at once, and write down what they are told."""

import threading
import time
from collections.abc import Callable
from random import Random
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import httpx

from tests.faults.events import SHAPES, event, new_id, shape_of
from tests.faults.ledger import UNKNOWN, Batch, Ledger, Outcome

HANGS = 30.0  # seconds: far above what the server lets a request wait


class Caller:
    """One client of one tenant. Every answer, and every missing one, is in the ledger."""

    def __init__(self, url: str, tenant: str, ledger: Ledger) -> None:
        self.ledger = ledger
        self.root = f"/v1/tenants/{tenant}"
        self.http = httpx.Client(base_url=url, timeout=HANGS)

    def call(self, method: str, path: str, **request: Any) -> tuple[Outcome, Any]:
        started = time.monotonic()
        outcome, body = Outcome.UNANSWERED, None
        try:
            answer = self.http.request(method, self.root + path, **request)
            outcome, body = self.ledger.read(answer), answer.json()
        except httpx.TimeoutException:
            self.ledger.fault(f"{method} {path} hangs")
        except httpx.TransportError:
            pass
        except (ValueError, KeyError, AssertionError) as error:
            self.ledger.fault(f"{method} {path}: {answer.status_code} {answer.text} ({error!r})")
        self.ledger.count(outcome, time.monotonic() - started)
        return outcome, body

    def post(self, batch: Batch) -> Outcome:
        """Post a batch, for the first time or again; once stored it counts as stored."""
        body = [event(id, batch.session_id) for id in batch.ids]
        outcome, answer = self.call("POST", "/events", json=body)
        if outcome == Outcome.DONE and answer["stored"] != [str(id) for id in batch.ids]:
            self.ledger.fault(f"stored: {answer}")
        if outcome == Outcome.EXISTS and batch.outcome is None:
            self.ledger.fault(f"held before it was posted: {answer}")
        batch.answered(outcome)
        return outcome

    def forget(self, ids: list[UUID]) -> None:
        outcome, _ = self.call("POST", "/events/delete", json={"ids": [str(id) for id in ids]})
        self.ledger.forgot(ids, outcome)

    def query(self) -> None:
        self.call("POST", "/episodic-memory/query", json={"query": "Why does the build hang?"})

    def list(self, **params: Any) -> list[dict[str, Any]]:
        """A page of events, each of which must be whole at any time."""
        _, page = self.call("GET", "/events", params=params)
        events: list[dict[str, Any]] = (page or {}).get("events", [])
        for found in events:
            if found["blocks"] != SHAPES[shape_of(UUID(found["id"]))]:
                self.ledger.fault(f"listed in part: {found}")
        return events


class Load:
    """Callers at work in threads until the block ends."""

    def __init__(self, url: str, tenant: str, ledger: Ledger, random: Random, *, clients: int):
        self._stop = threading.Event()
        self._callers = [Caller(url, tenant, ledger) for _ in range(clients)]
        self._threads = [
            threading.Thread(target=self._work, args=(caller, f"session-{n}", Random(seed)))
            for n, caller in enumerate(self._callers)
            for seed in [random.random()]
        ]
        self.ledger = ledger

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        for caller in self._callers:
            caller.http.close()

    def wait_for(self, outcome: Outcome, more: int, within: float = HANGS) -> None:
        """Go on until so many more answers of a kind have come."""
        wanted = self.ledger.answers[outcome] + more
        wait_until(lambda: self.ledger.answers[outcome] >= wanted, within)

    def _work(self, caller: Caller, session_id: str, random: Random) -> None:
        mine: list[Batch] = []
        while not self._stop.is_set():
            chance = random.random()
            if chance < 0.7:
                batch = [new_id(random) for _ in range(random.randint(1, 6))]
                mine.append(Batch(session_id, batch))
                caller.ledger.begin(mine[-1])
                outcome = caller.post(mine[-1])
                # As a client does who was not told: sometimes while the first is under way.
                if outcome in UNKNOWN and chance < 0.35:
                    outcome = caller.post(mine[-1])
                if outcome in (Outcome.UNANSWERED, Outcome.OVERLOADED):
                    time.sleep(0.05)
            elif chance < 0.8:
                if stored := [batch for batch in mine if batch.stored]:
                    ids = random.choice(stored).ids
                    caller.forget(random.sample(ids, random.randint(1, len(ids))))
            elif chance < 0.9:
                caller.query()
            else:
                caller.list(limit=20, session_id=session_id)


def wait_until(true: Callable[[], bool], within: float) -> None:
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, f"not within {within} seconds"
        time.sleep(0.01)
