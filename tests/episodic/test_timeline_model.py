"""Windows, expansions and pages, each held against the model of a tenant's memory."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodic.memory import EventMemory
from episodic.models import Segment
from episodic.recall.selection import Selection
from tests.episodic import model
from tests.episodic.worlds import batches, few, interleaved, selections
from tests.factories import event, message, tool_call

pytestmark = pytest.mark.django_db
counts = st.integers(0, 7)


def places(segments):
    return [segment.position for segment in segments]


def all_pages(page, limit):
    """The items of every page, asked for one after the other."""
    items, cursors = [], [None]
    while True:
        found = page(limit=limit, cursor=cursors[-1])
        items += found.items
        if found.next is None:
            assert len(found.items) <= limit
            return items
        assert len(found.items) == limit
        assert found.next not in cursors
        cursors.append(found.next)


def segment_uuids(memory: EventMemory):
    return {s.position: s.uuid for s in Segment.objects.filter(tenant=memory.tenant)}


@few
@given(ours=batches, theirs=batches, selection=selections, limit=st.integers(1, 9), n=counts)
def test_a_query_finds_what_is_selected_in_its_windows(ours, theirs, selection, limit, n):
    memory, _ = interleaved(ours, theirs)
    pieces = model.timeline(ours)
    findable = [p.position for p in model.selected(selection, pieces) if p.searchable]
    hits = memory.query("ferry", limit=limit, expand_context=n, selection=selection)
    seeds = [hit.segments[hit.seed].position for hit in hits]
    assert len(seeds) == min(limit, len(findable))
    assert set(seeds) <= set(findable)
    for hit, seed in zip(hits, seeds, strict=True):
        before, after = model.walk(pieces, seed, n // 3, n - n // 3, selection)
        assert places(hit.segments) == [*places(before), seed, *places(after)]


@few
@given(ours=batches, theirs=batches, selection=selections, limit=st.integers(1, 9))
def test_a_query_ranks_by_cosine_and_then_by_the_timeline(ours, theirs, selection, limit):
    memory, _ = interleaved(ours, theirs)
    findable = [p for p in model.selected(selection, model.timeline(ours)) if p.searchable]
    exact = {p.position: model.similarity(memory.embedder, "ferry seats", p) for p in findable}
    hits = memory.query(
        "ferry seats", limit=limit, expand_context=0, selection=selection, ranked=False
    )
    found = [(hit.score, hit.segments[0].position) for hit in hits]
    assert all(score == pytest.approx(exact.pop(place), abs=0.001) for score, place in found)
    assert all((-a[0], a[1]) < (-b[0], b[1]) for a, b in pairwise(found))
    assert all(left <= found[-1][0] + 0.001 for left in exact.values())


@few
@given(ours=batches, theirs=batches, selection=selections, before=counts, after=counts)
def test_an_expansion_is_the_nearest_that_is_selected(ours, theirs, selection, before, after):
    memory, _ = interleaved(ours, theirs)
    pieces = model.timeline(ours)
    uuids = segment_uuids(memory)
    assert sorted(uuids) == places(pieces)
    for anchor in pieces[::4]:
        found = memory.expand(
            uuids[anchor.position], before=before, after=after, selection=selection
        )
        sides = model.walk(pieces, anchor.position, before, after, selection)
        for side, expected in zip((found.before, found.after), sides, strict=True):
            assert places(side) == places(expected)
            assert [s.block for s in side] == [p.block for p in expected]
            assert [s.context for s in side] == [p.event.context for p in expected]
            assert [s.moment.isoformat() for s in side] == [
                p.event.timestamp.isoformat() for p in expected
            ]


@few
@given(ours=batches.filter(bool), selection=selections, step=st.integers(1, 5), data=st.data())
def test_walking_on_from_the_ends_leaves_no_gap_and_no_overlap(ours, selection, step, data):
    memory, _ = interleaved(ours, [])
    pieces = model.timeline(ours)
    uuids = segment_uuids(memory)
    if not pieces:
        return
    anchor = data.draw(st.sampled_from(pieces)).position
    walked = [anchor]
    while side := memory.expand(uuids[walked[0]], before=step, after=0, selection=selection).before:
        walked = [*places(side), *walked]
        assert walked[0] < walked[len(side)]
    while side := memory.expand(uuids[walked[-1]], before=0, after=step, selection=selection).after:
        walked = [*walked, *places(side)]
        assert walked[-1] > walked[-1 - len(side)]
    before, after = model.walk(pieces, anchor, len(pieces), len(pieces), selection)
    assert walked == [*places(before), anchor, *places(after)]


@few
@given(ours=batches, theirs=batches, selection=selections)
def test_pages_of_any_size_list_the_selected_events_once_each_and_whole(ours, theirs, selection):
    memory, _ = interleaved(ours, theirs)
    expected = model.events(ours, selection)
    for limit in range(1, len(expected) + 2):
        held = all_pages(lambda **page: memory.events(selection=selection, **page), limit)
        assert [item.event.uuid for item in held] == [event.id for event in expected]
        assert [item.blocks for item in held] == [event.blocks for event in expected]


@few
@given(ours=batches, theirs=batches)
def test_pages_of_any_size_list_the_sessions_latest_first(ours, theirs):
    memory, _ = interleaved(ours, theirs)
    expected = model.sessions(ours)
    for limit in range(1, len(expected) + 2):
        found = all_pages(memory.sessions, limit)
        assert [(s.session_id, s.events, s.first, s.last) for s in found] == expected


@pytest.mark.parametrize("limit", [1, 7, 120])
def test_sessions_that_ended_at_one_instant_are_listed_by_id(memory, limit):
    memory.encode([message(session_id=str(n)) for n in range(120)])
    found = all_pages(memory.sessions, limit)
    assert [session.session_id for session in found] == sorted(map(str, range(120)))


@pytest.mark.parametrize("calls", [999, 1_000])
def test_context_comes_from_the_1000_nearest_of_a_side(memory, calls):
    noise = [tool_call(n=n) for n in range(calls)]
    batch = [
        message("first", minute=0),
        event(*noise, minute=1),
        message("anchor", minute=2),
        event(*noise, minute=3),
        message("last", minute=4),
    ]
    memory.encode(batch)
    texts_alone = Selection(block_kinds=["text"])
    (hit,) = memory.query('"anchor"', limit=1, expand_context=6, selection=texts_alone)
    seed = hit.segments[hit.seed]
    sides = model.walk(model.timeline(batch), seed.position, 9_999, 9_999, Selection())
    expansion = memory.expand(seed.uuid, before=9_999, after=9_999)
    assert (places(expansion.before), places(expansion.after)) == tuple(map(places, sides))
    near = [s.block["text"] for s in hit.segments]
    assert near == (["first", "anchor", "last"] if calls < 1_000 else ["anchor"])
