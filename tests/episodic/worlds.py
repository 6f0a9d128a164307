"""Small worlds for hypothesis: many events on few instants, in few sessions, of every kind."""

from datetime import timedelta, timezone
from uuid import uuid4

from hypothesis import settings
from hypothesis import strategies as st

from episodic.content.events import NewEvent
from episodic.filters.tree import (
    And,
    Comparison,
    Membership,
    Not,
    Operator,
    Or,
    Presence,
    TimeComparison,
    TimePresence,
)
from episodic.memory import EventMemory
from episodic.recall.selection import Selection
from tenants.models import Tenant
from tests.factories import at, injected, text, thinking, tool_call, tool_result

# An example is a few dozen statements.
few = settings(max_examples=50, deadline=None)

THREE_PIECES = "A sentence of quite some words about the ferry. " * 25
SESSIONS = ["a", "ä", "B"]
SOURCES = ["x", "y"]
KINDS = ["text", "thinking", "tool_call", "tool_result", "injected"]

words = st.sampled_from(
    ["ferry", "our ferry seats sold. Then more ferry seats were sold twice?", "…", "", THREE_PIECES]
)
blocks = st.one_of(
    words.map(text),
    words.map(thinking),
    st.integers(0, 9).map(lambda n: tool_call(n=n)),
    st.booleans().map(lambda error: tool_result("done", error=error)),
    words.map(injected),
)
instants = st.builds(
    lambda minute, hours: at(minute).astimezone(timezone(timedelta(hours=hours))),
    st.integers(0, 2),
    st.sampled_from([0, -5, 14]),
)
numbers = st.sampled_from([0, 1, 2, 1.0, 1.5])
values = st.one_of(st.booleans(), numbers, st.sampled_from(["red", "1", "true"]))
properties = st.dictionaries(st.sampled_from(["p", "q"]), values)
new_events = st.builds(
    NewEvent,
    id=st.uuids(),
    session_id=st.sampled_from(SESSIONS),
    timestamp=instants,
    source_id=st.sampled_from([None, *SOURCES]),
    context=st.sampled_from([{}, {"author": {"name": "Alice"}}]),
    properties=properties,
    blocks=st.lists(blocks, max_size=4),
)
batches: st.SearchStrategy[list[NewEvent]] = st.just([]) | st.lists(
    new_events, min_size=6, max_size=24, unique_by=lambda event: event.id
)

keys = st.sampled_from(["p", "q"])
predicates = st.one_of(
    st.builds(Comparison, keys, st.sampled_from([Operator.EQUAL, Operator.UNEQUAL]), values),
    st.builds(Comparison, keys, st.sampled_from(Operator), numbers),
    st.builds(
        Membership, keys, st.sampled_from([(1,), (0, 2), ("red",), ("1", "true")]), st.booleans()
    ),
    st.builds(Presence, keys, st.booleans()),
    st.builds(TimeComparison, st.sampled_from(Operator), instants),
    st.builds(TimePresence, st.booleans()),
)
trees = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=1, max_size=2)),
        st.builds(Or, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=4,
)


def some(names: list[str]) -> st.SearchStrategy[list[str] | None]:
    return st.none() | st.lists(st.sampled_from(names), max_size=3)


selections = st.builds(
    Selection,
    session_ids=some(SESSIONS),
    source_ids=some(SOURCES),
    block_kinds=some(KINDS),
    since=st.none() | instants,
    until=st.none() | instants,
    filter=st.none() | trees,
)


def new_memory() -> EventMemory:
    """A tenant's memory, new and empty. Within an example nothing has to be cleaned up."""
    return EventMemory(Tenant.objects.create(name=uuid4().hex))


def interleaved(*worlds: list[NewEvent]) -> list[EventMemory]:
    """A memory each for some worlds, written in turns, a few events a batch."""
    memories = [new_memory() for _ in worlds]
    for start in range(0, max(map(len, worlds)), 3):
        for memory, events in zip(memories, worlds, strict=True):
            memory.encode(events[start : start + 3])
    return memories
