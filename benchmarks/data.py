"""The memories that are measured: seeded, so that every run reads and writes the same.

A world is a few thousand topics, each with words of its own, and events that talk about them:
messages of one to three sentences, tool calls, tool results. It holds about as many derivatives
as events. Its sessions, times and properties are laid out so that filters keep a known share.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from benchmarks.words import ENDS, NOUNS, OPENINGS, VERBS

JsonObject = dict[str, Any]

TOPICS = 3_000
START = datetime(2025, 1, 6, 9, tzinfo=UTC)
STEP = timedelta(seconds=37)
SESSION = 200  # events of an ordinary session

# What filters keep of a world, and what such events are marked with. The last keeps ten events,
# fewer than a query asks for once those without a sentence are gone.
SHARES = {"20 %": 0.2, "1 %": 0.01, "0.1 %": 0.001, "10 rows": 0.0}


@dataclass(frozen=True)
class World:
    """The memory of one tenant: `events` events that follow from its name."""

    name: str
    events: int

    def batches(self, size: int) -> Iterator[list[JsonObject]]:
        """All events in the order of their time, as the API takes them, `size` at once."""
        for start in range(0, self.events, size):
            yield self.batch(start, min(start + size, self.events))

    def batch(self, start: int, stop: int) -> list[JsonObject]:
        random = Random(f"{self.name} {start}")  # noqa: S311  # no secret
        return [self._event(random, place) for place in range(start, stop)]

    def moment(self, place: int) -> datetime:
        """When the event of that place was."""
        return START + STEP * place

    def size_of(self, share: str) -> int:
        """How many events a filter of that share keeps."""
        return max(10, int(self.events * SHARES[share]))

    def cues(self, number: int) -> list[str]:
        """Questions about some of the topics."""
        random = Random(f"{self.name} cues")  # noqa: S311
        return [_sentence(random, random.randrange(TOPICS), OPENINGS) for _ in range(number)]

    def _event(self, random: Random, place: int) -> JsonObject:
        # A session of work stays with a few topics.
        topic = Random(place // SESSION * 8 + random.randrange(8)).randrange(TOPICS)  # noqa: S311
        session = self._share_of(place, 1)
        author = random.choice(["Mara", "Claude", "Jonas"])
        event: JsonObject = {
            "timestamp": self.moment(place).isoformat(),
            "session_id": f"long {session}" if session else f"session {place // SESSION}",
            "source_id": random.choice(["laptop", "desktop"]),
            "context": {"author": {"name": author}},
            "blocks": [_block(random, topic)],
            "properties": {"number": place, "urgent": random.random() < 0.1},
        }
        if share := self._share_of(place, 2):
            event["properties"]["project"] = share
        if share := self._share_of(place, 3):
            event["properties"]["branch" if place % 2 else "stage"] = share
        return event

    def _share_of(self, place: int, lot: int) -> str | None:
        """The share that an event is drawn for, a lot of its own for each kind of filter."""
        # A multiplier without a factor in common with the number of events shuffles them.
        rank = (place * 7_368_787 + lot * self.events // 7) % self.events
        for share in SHARES:
            size = self.size_of(share)
            if rank < size:
                return share
            rank -= size
        return None


def _block(random: Random, topic: int) -> JsonObject:
    kind = random.random()
    if kind < 0.6:
        count = random.choices([1, 2, 3], [52, 33, 15])[0]
        return {"kind": "text", "text": " ".join(_sentence(random, topic) for _ in range(count))}
    if kind < 0.8:
        command = f"pytest -q tests/test_{random.choice(NOUNS)}.py -k topic{topic}"
        return {"kind": "tool_call", "name": "Bash", "input": {"command": command}}
    output = "\n".join(_sentence(random, topic) for _ in range(4))
    return {"kind": "tool_result", "name": "Bash", "output": output, "error": False}


def _sentence(random: Random, topic: int, openings: list[str] | None = None) -> str:
    own = _words_of(topic)
    subject, thing, other = random.sample(own[:6], 3)
    opening = random.choice(openings or ENDS)
    return f"{opening} the {subject} {random.choice(own[6:])} the {thing} of {other} {topic}."


_topics: dict[int, list[str]] = {}


def _words_of(topic: int) -> list[str]:
    """Six nouns and three verbs of a topic."""
    if topic not in _topics:
        random = Random(topic)  # noqa: S311
        _topics[topic] = random.sample(NOUNS, 6) + random.sample(VERBS, 3)
    return _topics[topic]
