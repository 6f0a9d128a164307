"""What a query finds, how it scores and in which order."""

from dataclasses import replace
from uuid import UUID

import pytest

from episodic.filters.tree import Comparison, Operator, Presence
from episodic.memory import EventMemory, sides
from episodic.recall.selection import Selection
from memmachine.errors import ComponentNotEnabled, InvalidRequest
from tenants.models import Tenant
from tests.episodic import model
from tests.factories import at, event, message, text, texts, thinking

RED = Comparison("color", Operator.EQUAL, "red")
FILTERS = {
    "session_ids": Selection(session_ids=["kept", "other"]),
    "source_ids": Selection(source_ids=["kept"]),
    "since": Selection(since=at(1)),
    "until": Selection(until=at(0.5)),
    "filter": Selection(filter=RED),
    "all": Selection(session_ids=["kept"], source_ids=["kept"], since=at(1), filter=RED),
}


def seeds(hits):
    return [hit.segments[hit.seed] for hit in hits]


def found(memory, cue="a foghorn sounds", **kwargs):
    return texts(seeds(memory.query(cue, expand_context=0, ranked=False, **kwargs)))


@pytest.mark.parametrize("name", FILTERS)
def test_limit_hits_come_back_when_that_many_pass_the_filter(memory, strange_memory, name):
    kept_at, others_at = (0, 1) if name == "until" else (1, 0)
    kept = [
        message(f"far {n}", session_id="kept", source_id="kept", minute=kept_at,
                properties={"color": "red"})
        for n in range(3)
    ]  # fmt: skip
    nearer = [message("a foghorn sounds", minute=others_at) for _ in range(200)]
    memory.encode(kept + nearer)
    strange_memory.encode([replace(event, id=UUID(int=n)) for n, event in enumerate(kept)])
    assert sorted(found(memory, limit=3, selection=FILTERS[name])) == ["far 0", "far 1", "far 2"]


def test_only_texts_are_found(memory):
    memory.encode([event(text("a foghorn"), thinking("a foghorn sounds"), minute=0)])
    assert found(memory) == ["a foghorn"]
    assert found(memory, selection=Selection(block_kinds=["thinking"])) == []


def test_a_segment_is_one_hit_however_many_of_its_sentences_match(memory):
    sentences = "Then a foghorn sounds out in the fog. " * 8
    memory.encode([message(sentences), message("a boat")])
    assert found(memory, limit=2) == [sentences, "a boat"]


def test_a_score_is_the_cosine_of_the_best_sentence(memory):
    cue = "But a foghorn sounds over there"
    words = f"Nothing of the kind is said in here at all. {cue} in it."
    batch = [message(words, minute=1), message("a foghorn sounds"), message("a boat", minute=2)]
    memory.encode(batch)
    hits = memory.query(cue, ranked=False)
    exact = [model.similarity(memory.embedder, cue, piece) for piece in model.timeline(batch)]
    assert seeds(hits)[0].block["text"] == words
    assert [hit.score for hit in hits] == pytest.approx(sorted(exact, reverse=True), abs=0.001)


@pytest.mark.parametrize("selection", [Selection(), Selection(filter=Presence("p", False))])
def test_equal_scores_fall_back_on_the_order_of_uuids_at_one_instant(memory, selection):
    batch = [message("a foghorn") for _ in range(300)]
    memory.encode(batch)
    hits = seeds(memory.query("foghorn", limit=3, selection=selection))
    assert [hit.event_uuid for hit in hits] == sorted(event.id for event in batch)[:3]


@pytest.mark.parametrize("limit", [3, 65])
@pytest.mark.parametrize("selection", [Selection(), Selection(filter=Presence("p", False))])
def test_equal_scores_fall_back_on_the_order_of_pieces_in_one_event(memory, selection, limit):
    piece = "a foghorn sounds ".ljust(498, "-") + "\n\n"
    batch = [event(text(piece * 60), text(piece * 240))]
    assert len({p.block["text"] for p in model.timeline(batch)}) == 1
    memory.encode(batch)
    hits = seeds(memory.query("foghorn", limit=limit, selection=selection))
    places = [(index, offset) for index, many in enumerate((60, 240)) for offset in range(many)]
    assert [(hit.index, hit.offset) for hit in hits] == places[:limit]


def test_what_is_less_similar_than_the_least_asked_for_is_no_candidate(memory):
    memory.encode([message("a foghorn sounds now"), message("a foghorn"), message("a boat")])
    scores = [hit.score for hit in memory.query("a foghorn sounds", ranked=False)]
    middle = (scores[0] + scores[1]) / 2
    assert found(memory, min_cosine_similarity=middle) == ["a foghorn sounds now"]
    assert found(memory, min_score=middle) == ["a foghorn sounds now"]
    assert found(memory, min_cosine_similarity=1.0) == found(memory, min_score=1.0) == []


def test_the_best_of_more_candidates_are_cut_to_the_limit(memory):
    memory.encode([message(f"a foghorn {n}") for n in range(8)])
    for candidates in (None, 1, 3, 40):
        assert len(found(memory, limit=3, candidates=candidates)) == 3
        assert found(memory, limit=3, candidates=candidates) == found(memory)[:3]


@pytest.mark.parametrize(
    ("neighbours", "before", "after"),
    [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 1, 2), (7, 2, 5), (5_000, 1_000, 1_000)],
)
def test_a_third_of_the_neighbours_stand_before(neighbours, before, after):
    assert sides(neighbours) == (before, after)


def test_the_tenants_defaults_stand_in_for_what_is_not_given(memory):
    memory.tenant.query_limit, memory.tenant.expand_context = 4, 3
    memory.tenant.expand_before, memory.tenant.expand_after = 1, 3
    memory.encode([message("a foghorn", minute=n) for n in range(12)])
    hits = memory.query("foghorn", selection=Selection(since=at(0)))
    assert [len(hit.segments) for hit in hits] == [3, 4, 4, 4]
    expansion = memory.expand(seeds(hits)[3].uuid)
    assert (len(expansion.before), len(expansion.after)) == (1, 3)


def test_a_cue_in_which_nothing_can_be_searched_finds_nothing(memory):
    memory.encode([message("a foghorn"), message("…"), message("")])
    assert [memory.query(cue) for cue in ("…!?", " ", "\u2028")] == [[], [], []]
    assert found(memory) == ["a foghorn"]


@pytest.mark.parametrize(("limit", "neighbours"), [(1_000, 49), (50_000, 0), (24, 1_000_000)])
def test_50000_segments_may_be_asked_for_and_no_more(memory, limit, neighbours):
    assert memory.query("foghorn", limit=limit, expand_context=neighbours) == []
    with pytest.raises(InvalidRequest, match="at most 50000 segments"):
        memory.query("foghorn", limit=limit + 1, expand_context=neighbours)


def test_a_query_answers_the_same_twice(memory):
    memory.encode([message(f"a foghorn {n % 3}", minute=n % 2) for n in range(60)])
    assert memory.query("foghorn 1") == memory.query("foghorn 1")


def test_what_was_forgotten_is_found_no_more(memory):
    gone, kept = memory.encode([message("a foghorn sounds"), message("a foghorn")])
    memory.forget([gone])
    (hit,) = memory.query("a foghorn sounds")
    assert [segment.event_uuid for segment in hit.segments] == [kept]


def test_a_strangers_memory_is_not_found(memory, strange_memory):
    strange_memory.encode([message("a foghorn sounds")])
    assert found(memory) == []


def test_a_tenant_that_is_switched_off_has_no_memory(tenant):
    tenant.episodic_enabled = False
    tenant.save()
    with pytest.raises(ComponentNotEnabled, match="switched off"):
        EventMemory.open("tenant")


def test_without_its_embedder_a_tenant_neither_stores_nor_finds(db):
    memory = EventMemory(Tenant.objects.create(name="t", embedder="nobody"))
    with pytest.raises(ComponentNotEnabled, match="nobody"):
        memory.encode([message()])
    with pytest.raises(ComponentNotEnabled, match="nobody"):
        memory.query("hello")


@pytest.mark.parametrize("dimensions", [1024, 1025, 1536])
def test_vectors_too_wide_for_the_index_are_found_alike(settings, memory, dimensions):
    name = f"hashing-{dimensions}"
    backend = settings.EMBEDDERS["hashing"] | {"OPTIONS": {"dimensions": dimensions}}
    settings.EMBEDDERS = settings.EMBEDDERS | {name: backend}
    memory.encode([message("a foghorn sounds here")])
    wide = EventMemory(Tenant.objects.create(name="wide", embedder=name))
    elsewhere = message("no foghorn here", session_id="elsewhere")
    wide.encode([message("a boat sails here"), message("a foghorn sounds"), elsewhere])
    assert found(wide, limit=1) == ["a foghorn sounds"]
    assert found(wide, selection=Selection(session_ids=["elsewhere"])) == ["no foghorn here"]
    assert found(memory) == ["a foghorn sounds here"]
