"""Many at once: an id is stored once, nothing deadlocks, nothing is stored by halves."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, connections, transaction

from episodic.memory import EventMemory
from episodic.models import Derivative, Event, Link, Segment
from episodic.recall import dense, query
from episodic.recall.selection import Selection
from episodic.recall.timeline import walk
from memmachine.errors import EventExists, TenantNotFound
from memmachine.snapshot import snapshot
from tenants.models import Tenant
from tenants.services import create_tenant, delete_tenant
from tests.factories import event, message, text, texts

pytestmark = pytest.mark.django_db(transaction=True)
TABLES: list[Any] = [Event, Segment, Derivative, Link]


def outcome(action):
    """What an action returns or raises; its thread's connection goes back to the pool."""
    try:
        return action()
    except Exception as error:
        return error
    finally:
        connections.close_all()


def at_once(*actions):
    """The outcomes of actions that start together, each in a thread of its own."""
    barrier = Barrier(len(actions))

    def start(action):
        barrier.wait(timeout=10)
        return outcome(action)

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(start, actions))


def encoding(memory, batch):
    return lambda: memory.encode(batch)


def pages(id):
    """An event of that id which has several rows in each table."""
    return event(text("A sentence of quite some words in it. " * 20), text("Another."), id=id)


def pages_of(ids):
    return [pages(id) for id in random.sample(ids, 3)]


def rows(tenant):
    return [table.objects.filter(tenant=tenant).count() for table in TABLES]


def kinds(outcomes):
    return Counter(type(each) for each in outcomes)


def test_of_twelve_posts_of_one_id_one_is_stored(memory):
    id = uuid4()
    outcomes = at_once(*(encoding(memory, [message(), pages(id)]) for _ in range(12)))
    assert kinds(outcomes) == {list: 1, EventExists: 11}
    assert Event.objects.count() == 2
    assert Link.objects.count() == Derivative.objects.count() > Segment.objects.count() == 4


def test_overlapping_batches_and_forgets_in_any_order_never_deadlock(memory):
    ids = [uuid4() for _ in range(60)]
    for _ in range(4):
        batches = [random.sample(ids, 40) for _ in range(6)]
        encodes = [encoding(memory, [message(id=id) for id in batch]) for batch in batches]
        forgets = [lambda batch=batch: memory.forget(batch) for batch in batches]
        outcomes = at_once(*encodes, *forgets)
        assert kinds(outcomes[:6]).keys() <= {list, EventExists}
        assert outcomes[6:] == [None] * 6
    assert len(set(rows(memory.tenant))) == 1


def test_no_row_arrives_under_a_tenant_once_its_deletion_has_returned(memory):
    """Whatever encodes and forgets, a dead tenant holds for good what it held when it died."""
    ids = [uuid4() for _ in range(6)]
    left = {}

    def encodes():
        outcomes = []
        for _ in range(12):
            outcomes.append(outcome(lambda: EventMemory.open("tenant").encode([pages(uuid4())])))
            outcomes.append(outcome(lambda: EventMemory.open("tenant").encode(pages_of(ids))))
        return outcomes

    def forgets():
        return [outcome(lambda: EventMemory.open("tenant").forget(ids)) for _ in range(12)]

    def recreates():
        for _ in range(8):
            dying = Tenant.objects.named("tenant")
            delete_tenant("tenant")
            left[dying] = rows(dying)
            create_tenant("tenant")
            sleep(0.02)

    *written, forgotten, recreated = at_once(*[encodes] * 4, forgets, recreates)
    assert recreated is None
    assert kinds(forgotten).keys() <= {type(None), TenantNotFound}
    stored = [each for outcomes in written for each in outcomes]
    assert kinds(stored).keys() <= {list, EventExists, TenantNotFound}
    assert {dead: rows(dead) for dead in left} == left
    for tenant in (*left, Tenant.objects.named("tenant")):
        events, segments, derivatives, links = rows(tenant)
        assert (segments, links) == (3 * events, derivatives)
    for each in stored:
        if isinstance(each, list) and each[0] not in ids:
            assert Event.objects.filter(uuid=each[0]).exists()


def test_a_memory_opened_before_the_deletion_stores_nothing_after_it(memory):
    delete_tenant("tenant")
    (refusal,) = at_once(encoding(memory, [message()]))
    assert isinstance(refusal, TenantNotFound)
    assert rows(memory.tenant) == [0, 0, 0, 0]


def test_a_forget_between_two_reads_of_a_query_makes_no_hole(memory):
    uuids = memory.encode([message(f"a foghorn {n}", minute=n) for n in range(3)])
    vector = query.cue_vector(memory.embedder, "a foghorn 1")
    assert vector is not None
    with snapshot():
        found = dense.nearest(
            memory.tenant, None, vector, limit=3, min_similarity=None, selection=Selection()
        )
        assert at_once(lambda: memory.forget(uuids)) == [None]
        windows = walk(
            memory.tenant, [hit.seed for hit in found], before=2, after=2, selection=Selection()
        )
    assert [texts(w.segments) for w in windows] == [
        ["a foghorn 0", "a foghorn 1", "a foghorn 2"]
    ] * 3
    assert memory.query("a foghorn 1") == []


def test_an_encode_that_is_killed_while_it_waits_stores_nothing(memory):
    awaited = message()
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        memory.encode([awaited])
        killed = pool.submit(outcome, encoding(memory, [pages(uuid4()), awaited]))
        kill_who_waits()
        error = killed.result(timeout=10)
    assert isinstance(error, OperationalError)
    assert "terminating connection" in str(error)
    assert list(Event.objects.values_list("uuid", flat=True)) == [awaited.id]
    assert rows(memory.tenant) == [1, 1, 1, 1]


def kill_who_waits():
    """End the one session of this database that waits for a lock, as soon as there is one."""
    statement = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
    """
    until = monotonic() + 10
    with connection.cursor() as cursor:
        while monotonic() < until:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(statement)
            if cursor.fetchall():
                return
            sleep(0.01)
    pytest.fail("nothing waits for a lock")


def test_batches_that_evict_and_forgets_neither_deadlock_nor_leave_halves(tenant, stranger):
    Tenant.objects.filter(pk=tenant.pk).update(eviction_threshold=0.9, eviction_target=3)
    tenant.refresh_from_db()
    memory, strange = EventMemory(tenant), EventMemory(stranger)
    strange.encode([message("a foghorn sounds", minute=n) for n in range(5)])
    stored: list[Any] = []

    def encode(seed):
        chance = random.Random(seed)
        for _ in range(12):
            batch = [message("a foghorn sounds", minute=chance.randrange(500)) for _ in range(6)]
            stored.extend(memory.encode(batch))

    def forget(seed):
        chance = random.Random(seed)
        for _ in range(25):
            memory.forget(chance.sample(stored, min(len(stored), 12)))

    outcomes = at_once(
        *(lambda n=n: encode(n) for n in range(3)), lambda: forget(3), lambda: forget(4)
    )
    assert outcomes == [None] * 5
    memory.encode([message("a foghorn sounds", minute=501)])
    assert Derivative.objects.filter(tenant=tenant).count() <= 3
    assert Link.objects.filter(tenant=tenant).count() <= 3
    assert (
        Segment.objects.filter(tenant=tenant).count() == Event.objects.filter(tenant=tenant).count()
    )
    assert Derivative.objects.filter(tenant=stranger).count() == 5
