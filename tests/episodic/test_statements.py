"""What a request costs in statements is the same at every size, and each names the tenant."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from episodic.filters.parsing import parse
from episodic.memory import EventMemory
from episodic.models import Segment
from episodic.recall.selection import Selection
from tenants.models import Tenant
from tests.factories import at, event, text, tool_call

KEY = 987_654_321  # of a tenant: a number that stands in a statement for nothing else
CONTROL = re.compile(r"SAVEPOINT|RELEASE|ROLLBACK|BEGIN|COMMIT|SET ")
SEQUENCES = re.compile(r"\s*SELECT ARRAY\(SELECT nextval")
COPY = re.compile(r"COPY \w+ \([^)]*\"tenant_id\"")

# Of each action, beside what controls the transaction.
NUMBERS = {
    "encode": 6,
    "query": 3,
    "expand": 3,
    "events": 3,
    "event": 3,
    "sessions": 2,
    "forget": 2,
}


@pytest.fixture
def memory(db):
    return EventMemory(Tenant.objects.create(name="tenant", pk=KEY))


def statements(action, *args, **kwargs):
    with CaptureQueriesContext(connection) as captured:
        action(*args, **kwargs)
    return [query["sql"] for query in captured if not CONTROL.match(query["sql"])]


def batch(size):
    return [
        event(text(f"a foghorn {n}. " * 60), tool_call(n=n), minute=n, session_id=f"s{n % 7}")
        for n in range(size)
    ]


def of_each_action(memory, size):
    """The statements of every action, with as much to do as `size` makes it."""
    some = batch(size)
    encoded = statements(memory.encode, some)
    anchor = Segment.objects.filter(tenant=memory.tenant).latest("timestamp")
    return {
        "encode": encoded,
        "query": statements(memory.query, "foghorn", limit=size, expand_context=size),
        "expand": statements(memory.expand, anchor.uuid, before=size, after=size),
        "events": statements(memory.events, limit=size),
        "event": statements(memory.event, some[0].id),
        "sessions": statements(memory.sessions, limit=size),
        "forget": statements(memory.forget, [each.id for each in some]),
    }


@pytest.mark.parametrize("held", [0, 300])
@pytest.mark.parametrize("size", [1, 50])
def test_the_number_of_statements_depends_on_no_size(memory, held, size):
    memory.encode(batch(held))
    found = of_each_action(memory, size)
    assert {name: len(captured) for name, captured in found.items()} == NUMBERS


def with_every_selection(memory):
    """The statements of every read with all that a request can ask of it."""
    memory.encode(batch(3))
    anchor = Segment.objects.filter(tenant=memory.tenant).latest("timestamp")
    selections = [
        Selection(filter=parse("m.project = 'x' OR timestamp > date('2026-01-01T00:00:00Z')")),
        Selection(
            session_ids=["s0", "s1"],
            source_ids=["a"],
            block_kinds=["text"],
            since=at(0),
            until=at(60),
            filter=parse("NOT m.project IS NULL"),
        ),
    ]
    found: dict[str, list[str]] = {}
    for n, selection in enumerate(selections):
        chosen = {"selection": selection}
        asked = {"min_cosine_similarity": 0.1, "candidates": 50, "min_score": 0.1, "ranked": False}
        found |= {
            f"query {n}": statements(memory.query, "foghorn", **asked, **chosen),
            f"expand {n}": statements(memory.expand, anchor.uuid, **chosen),
            f"events {n}": statements(memory.events, **chosen),
        }
    events, sessions = memory.events(limit=1).next, memory.sessions(limit=1).next
    assert events
    assert sessions
    found["next events"] = statements(memory.events, cursor=events)
    found["next sessions"] = statements(memory.sessions, cursor=sessions)
    return found


def test_every_statement_names_the_tenant(memory):
    actions = of_each_action(memory, 3) | with_every_selection(memory)
    for name, found in actions.items():
        assert found, name
        for sql in found:
            named = str(KEY) in sql or COPY.match(sql)
            assert named or SEQUENCES.match(sql), (name, sql)
