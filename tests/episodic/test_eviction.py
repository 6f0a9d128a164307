"""Near-duplicates: of a cluster the earliest and the latest derivatives stay."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodic.eviction import middle
from episodic.memory import EventMemory
from episodic.models import Derivative, Event, Link, Segment
from tenants.models import Tenant
from tests.episodic.worlds import few, new_memory
from tests.factories import START, event, message, text


def evicting(memory: EventMemory, *, threshold=0.95, search_limit=20, target=5) -> EventMemory:
    tenant = memory.tenant
    tenant.eviction_threshold = threshold
    tenant.eviction_search_limit, tenant.eviction_target = search_limit, target
    tenant.save()
    return memory


def minutes(memory: EventMemory) -> list[int]:
    """The minutes at which the memory has derivatives, in order."""
    moments = Derivative.objects.filter(tenant=memory.tenant).values_list("timestamp", flat=True)
    return sorted((moment - START) // timedelta(minutes=1) for moment in moments)


def foghorns(*at: int, words="a foghorn sounds"):
    return [message(words, minute=minute) for minute in at]


@pytest.fixture(autouse=True)
def _strangers(strange_memory):
    """A stranger who has said all of it, and who does not evict."""
    strange_memory.encode(foghorns(*range(20)))
    yield
    assert minutes(strange_memory) == list(range(20))


def test_of_twenty_equal_texts_in_one_batch_five_stay(memory):
    evicting(memory).encode(foghorns(*range(20)))
    assert minutes(memory) == [0, 1, 17, 18, 19]


def test_of_twenty_equal_texts_one_by_one_the_same_five_stay(memory):
    evicting(memory)
    for minute in range(20):
        memory.encode(foghorns(minute))
    assert minutes(memory) == [0, 1, 17, 18, 19]


def test_two_batches_of_five_leave_the_first_two_and_the_last_three(memory):
    evicting(memory).encode(foghorns(*range(5)))
    memory.encode(foghorns(*range(5, 10)))
    assert minutes(memory) == [0, 1, 7, 8, 9]


def test_only_derivatives_go(memory):
    evicting(memory).encode(foghorns(*range(20)))
    counts = [model.objects.filter(tenant=memory.tenant).count() for model in (Event, Segment)]
    assert counts == [20, 20]
    assert Link.objects.filter(tenant=memory.tenant).count() == 5
    found = memory.query("a foghorn sounds", limit=20, expand_context=0)
    assert len(found) == 5
    window = memory.expand(found[0].segments[0].uuid, before=20, after=20)
    assert len(window.before) + len(window.after) == 19


def test_what_is_not_alike_stays(memory):
    evicting(memory).encode(foghorns(*range(7)) + foghorns(*range(7, 14), words="seats sold twice"))
    assert minutes(memory) == [0, 1, 4, 5, 6, 7, 8, 11, 12, 13]


def test_the_timeline_decides_and_not_the_order_of_arrival(memory):
    evicting(memory).encode(foghorns(*range(10, 15)))
    memory.encode(foghorns(*range(5)))
    assert minutes(memory) == [0, 1, 12, 13, 14]


def test_a_new_derivative_may_itself_be_the_one_that_goes(memory):
    evicting(memory).encode(foghorns(0, 1, 7, 8, 9))
    memory.encode(foghorns(5))
    assert minutes(memory) == [0, 1, 7, 8, 9]
    assert Event.objects.filter(tenant=memory.tenant).count() == 6


def test_sentences_of_one_text_are_a_cluster_too(memory):
    said = "Then a foghorn sounds out in the fog. " * 8
    evicting(memory, target=3).encode([event(text(said), minute=0)])
    assert len(minutes(memory)) == 3


def test_it_is_off_by_default(memory):
    memory.encode(foghorns(*range(20)))
    assert minutes(memory) == list(range(20))


def test_a_former_generation_is_not_looked_at(memory):
    evicting(memory).encode(foghorns(*range(5)))
    Tenant.objects.filter(pk=memory.tenant.pk).update(generation=2)
    memory.tenant.refresh_from_db()
    memory.encode(foghorns(*range(5, 10)))
    assert minutes(memory) == list(range(10))


@pytest.mark.parametrize(
    ("size", "target", "lost"),
    [(5, 5, []), (6, 5, [2]), (9, 4, [2, 3, 4, 5, 6]), (3, 1, [0, 1]), (0, 5, [])],
)
def test_the_earliest_half_and_the_latest_others_of_a_cluster_stay(size, target, lost):
    assert list(middle(range(size), target)) == lost


SAYINGS = ["a foghorn sounds", "seats were sold twice", "the ferry is late"]


@few
@given(
    said=st.lists(
        st.tuples(st.sampled_from(SAYINGS), st.integers(0, 30)),
        min_size=1,
        max_size=24,
        unique_by=lambda each: each[1],
    ),
    cut=st.integers(0, 24),
    target=st.integers(1, 6),
    spare=st.integers(0, 4),
    older=st.integers(0, 12),
)
@pytest.mark.django_db
def test_a_batch_decides_what_serial_ingestion_would(said, cut, target, spare, older):
    """Also where many duplicates were stored before the option was switched on."""
    kept = []
    for batches in ([said[:cut], said[cut:]], [[each] for each in said]):
        memory = new_memory()
        memory.encode([message(SAYINGS[0], minute=40 + n, id=UUID(int=n)) for n in range(older)])
        evicting(memory, target=target, search_limit=target + spare)
        for batch in batches:
            memory.encode([message(words, minute=minute) for words, minute in batch])
        kept.append(minutes(memory))
    assert kept[0] == kept[1]
