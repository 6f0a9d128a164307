"""What the server answered: all that it may be held to afterwards."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import httpx


class Outcome(StrEnum):
    DONE = "200"
    EXISTS = "409"
    NO_TENANT = "404"
    OVERLOADED = "503"  # nothing was stored, for certain
    INTERNAL = "500"
    UNANSWERED = "no answer"


UNKNOWN = {Outcome.INTERNAL, Outcome.UNANSWERED}


@dataclass
class Batch:
    """Events that were posted together, each time whole."""

    session_id: str
    ids: Sequence[UUID]
    outcome: Outcome | None = None

    @property
    def stored(self) -> bool:
        return self.outcome in (Outcome.DONE, Outcome.EXISTS)

    @property
    def unknown(self) -> bool:
        return self.outcome in UNKNOWN

    def answered(self, outcome: Outcome) -> None:
        """What is known of the batch, given one more answer: a refusal tells nothing of a
        post before it that was not answered."""
        if outcome in (Outcome.DONE, Outcome.EXISTS) or not (self.stored or self.unknown):
            self.outcome = outcome


class Ledger:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.batches: list[Batch] = []
        self.forgotten: set[UUID] = set()
        self.perhaps_forgotten: set[UUID] = set()
        self.faults: list[str] = []
        self.answers: Counter[Outcome] = Counter()
        self.slowest = 0.0

    def begin(self, batch: Batch) -> None:
        """Before it is sent: whatever becomes of it, its ids are known."""
        with self._lock:
            self.batches.append(batch)

    def forgot(self, ids: Sequence[UUID], outcome: Outcome) -> None:
        with self._lock:
            if outcome == Outcome.DONE:
                self.forgotten.update(ids)
            elif outcome in UNKNOWN:
                self.perhaps_forgotten.update(ids)

    def fault(self, what: str) -> None:
        with self._lock:
            self.faults.append(what)

    def read(self, answer: httpx.Response) -> Outcome:
        """The outcome that an answer stands for. What the contract does not know is a fault."""
        outcome = Outcome(str(answer.status_code))
        if outcome != Outcome.DONE:
            code = answer.json()["error"]["code"]
            expected = {
                Outcome.EXISTS: "event_exists",
                Outcome.NO_TENANT: "tenant_not_found",
                Outcome.OVERLOADED: "overloaded",
                Outcome.INTERNAL: "internal",
            }
            assert code == expected[outcome]
        if outcome == Outcome.OVERLOADED:
            assert int(answer.headers["Retry-After"]) >= 1
        return outcome

    def count(self, outcome: Outcome, seconds: float) -> None:
        with self._lock:
            self.answers[outcome] += 1
            self.slowest = max(self.slowest, seconds)
