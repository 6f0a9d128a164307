"""A search with an index finds what a search without one finds."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from episodic.filters.parsing import parse
from episodic.recall import dense, query
from episodic.recall.selection import Selection
from memmachine.snapshot import snapshot
from tests.episodic.indexing.conftest import WORDS, chatter, index_tenants
from tests.episodic.worlds import few
from tests.factories import at, texts


@pytest.fixture
def sealed(large):
    """A memory with a sealed index, a tail behind it and a hole in each."""
    index_tenants()
    large.encode(chatter(39, seed=1))
    events = large.events(limit=400).items
    large.forget([held.event.uuid for held in events[5:300:60]])
    return large


def candidates(memory, cue, *, with_index, **kwargs):
    vector = query.cue_vector(memory.embedder, cue)
    assert vector is not None
    with snapshot():
        sealed = dense.opened(memory.tenant, limit=kwargs["limit"])
        assert sealed is not None
        return dense.nearest(
            memory.tenant, sealed if with_index else None, vector, min_similarity=None, **kwargs
        )


def ways(memory, selection, limit=2):
    """The tables that the ways tried have, in turn."""
    with CaptureQueriesContext(connection) as captured:
        candidates(memory, "word1 word2", with_index=True, limit=limit, selection=selection)
    names = {"few": "within", "holding": "holding", "sealed": "indexed"}
    found = [each["sql"] for each in captured if "near AS MATERIALIZED" in each["sql"]]
    return [
        next((way for table, way in names.items() if f"{table} " in sql.split("(")[0]), "every")
        for sql in found
    ]


def test_what_few_sessions_hold_is_searched_exactly(sealed):
    assert ways(sealed, Selection(session_ids=["s1"])) == ["within"]


def test_a_short_time_is_searched_exactly(sealed):
    assert ways(sealed, Selection(since=at(10), until=at(60))) == ["within"]


def test_what_few_segments_hold_is_searched_exactly(sealed):
    assert ways(sealed, Selection(filter=parse("m.own = 7 OR m.own = 8"))) == ["holding"]


def test_without_a_filter_the_index_is_enough(sealed):
    assert ways(sealed, Selection()) == ["indexed"]


def test_a_filter_that_keeps_much_is_applied_to_what_the_index_gives(sealed):
    assert ways(sealed, Selection(filter=parse("m.fifth IN (1, 2, 3)"))) == ["holding", "indexed"]
    assert ways(sealed, Selection(source_ids=["x"])) == ["indexed"]


def test_where_the_index_comes_short_everything_is_searched(sealed):
    wide = Selection(since=at(0), filter=parse("m.own > 290"))
    assert ways(sealed, wide) == ["within", "indexed", "every"]


def test_limit_hits_come_back_though_the_index_gives_too_few(sealed):
    selection = Selection(filter=parse("m.own >= 281"))
    found = candidates(sealed, "word1 word2", with_index=True, limit=10, selection=selection)
    assert len(found) == 10


def test_new_events_are_found_before_they_are_sealed(sealed):
    new = chatter(1, seed=9)
    sealed.encode(new)
    (hit,) = sealed.query(new[0].blocks[0]["text"], limit=1, expand_context=0)
    assert texts(hit.segments) == [new[0].blocks[0]["text"]]
    assert hit.score == pytest.approx(1, abs=0.01) or hit.score > 0.7


def test_a_search_whose_index_is_being_dropped_is_exact(sealed):
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid ="
                       " 'episodic_derivative'::regclass AND indexrelid::regclass::text"
                       " LIKE 'derivative_near_%'")  # fmt: skip
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX {name}")
    exact, found = (
        candidates(sealed, "word3 word4", with_index=each, limit=10, selection=Selection())
        for each in (False, True)
    )
    assert found == exact


def some(values):
    return st.none() | st.lists(st.sampled_from(values), min_size=1, max_size=2)


instants = st.none() | st.integers(0, 340).map(at)
expressions = st.sampled_from(
    [None, "m.fifth = 1", "m.tenth = 1 OR m.own = 5", "m.own = 4", "m.own < 50 AND m.fifth = 2",
     "NOT m.tenth = 3", "m.own IN (1, 2, 3, 400)", "m.own > 330", "m.nothing IS NOT NULL"]
)  # fmt: skip
selections = st.builds(
    Selection,
    session_ids=some(["s0", "s1", "elsewhere"]),
    source_ids=some(["x", "y"]),
    block_kinds=some(["text", "thinking"]),
    since=instants,
    until=instants,
    filter=expressions.map(lambda text: parse(text) if text else None),
)
read_only = few.__class__(few, suppress_health_check=[HealthCheck.function_scoped_fixture])


@read_only
@given(
    selection=selections,
    cue=st.lists(st.sampled_from(WORDS), min_size=1, max_size=9),
    limit=st.integers(1, 20),
)
def test_the_best_with_an_index_are_the_best_without_it(sealed, selection, cue, limit):
    """The index is so small, and its search so wide, that it misses nothing."""
    exact, found = (
        [
            round(each.similarity, 5)
            for each in candidates(
                sealed, " ".join(cue), with_index=with_index, limit=limit, selection=selection
            )
        ]
        for with_index in (False, True)
    )
    assert found == exact
