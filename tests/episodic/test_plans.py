"""Which indexes the statements of the data path read, whatever the planner knows of a tenant.

A tenant that came after the last ANALYZE has, so the planner believes, one row. Its estimates
then favour any index that begins with the tenant.
"""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from episodic.filters.parsing import parse
from episodic.indexing.steps import steps
from episodic.memory import EventMemory
from episodic.models import Segment, VectorIndex
from episodic.purge import Scope
from episodic.recall import dense
from episodic.recall.selection import Selection
from episodic.sql import dense as sql
from episodic.sql.listing import PIECES, page_of_events
from episodic.sql.purging import forget_batch
from episodic.sql.writing import FORGET, HELD
from memmachine.database import own_session
from tenants.models import Tenant
from tenants.services import check_alive, pin
from tests.factories import at, message

EVENTS = 3_000
COVERING, BY_SESSION = "derivative_exact", "derivative_session"


def fill(memory: EventMemory) -> None:
    for start in range(0, EVENTS, 1_000):
        memory.encode(
            [
                message(f"said {n}", minute=n, session_id=f"s{n % 3}", properties={"n": n})
                for n in range(start, start + 1_000)
            ]
        )


@pytest.fixture(scope="module")
def newcomer(django_db_setup, django_db_blocker):
    """Two strangers that the statistics know, and a tenant that came after them."""
    with django_db_blocker.unblock():
        names = [uuid4().hex for _ in range(3)]
        memories = [EventMemory(Tenant.objects.create(name=name)) for name in names]
        for memory in memories[:2]:
            fill(memory)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE episodic_event, episodic_segment")
            cursor.execute("VACUUM ANALYZE episodic_derivative, episodic_link")
        fill(memories[2])
        yield memories[2]
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE tenants_tenant CASCADE")


@pytest.fixture(params=["unknown", "analysed", "no statistics"])
def memory(request, newcomer, db):
    """The tenant as the planner knows it: not at all, well, or nobody at all."""
    with connection.cursor() as cursor:
        if request.param == "analysed":
            cursor.execute("ANALYZE episodic_event, episodic_segment, episodic_derivative")
        if request.param == "no statistics":
            cursor.execute(
                "DELETE FROM pg_statistic WHERE starelid = ANY(ARRAY["
                " 'episodic_event', 'episodic_segment', 'episodic_derivative', 'episodic_link'"
                "]::regclass[])"
            )
    return newcomer


def search(memory: EventMemory, selection=Selection(), limit=10) -> sql.Search:  # noqa: B008
    return sql.Search(
        tenant_id=memory.tenant.pk,
        generation=1,
        cue=str([0.1] * 256),
        dimensions=256,
        limit=limit,
        farthest=2,
        selection=selection,
    )


def plan(statement: str, params) -> str:
    """The plan as executed, on one text."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) {statement}", params)
        return "\n".join(line for (line,) in cursor.fetchall())


def generic_plan(statement: str, params) -> str:
    """The plan that PostgreSQL makes once for all values."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    for number, name in enumerate(names, start=1):
        statement = statement.replace(f"%({name})s", f"${number}")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())


def scans(plan: str, table: str) -> set[str]:
    """How a table is read in a plan: by these indexes, or `Seq Scan`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass", [table]
        )
        indexes = {name for (name,) in cursor.fetchall()}
    return {
        *(indexes & set(re.findall(r"Scan(?: Backward)? (?:using|on) (\w+)", plan))),
        *re.findall(rf"(Seq Scan) on {table}\b", plan),
    }


def buffers(plan: str) -> int:
    """How many pages a plan touched."""
    found = re.search(r"Buffers: shared hit=(\d+)(?: read=(\d+))?", plan)
    assert found
    return int(found[1]) + int(found[2] or 0)


WAYS = {
    "every": (lambda s: sql.every(s), Selection(), {COVERING}),
    "time": (lambda s: sql.within(s, bound=100), Selection(since=at(5), until=at(60)), {COVERING}),
    "sessions": (
        lambda s: sql.within(s, bound=5_000), Selection(session_ids=["s1", "s2"]), {BY_SESSION},
    ),
    "sessions in a time": (
        lambda s: sql.within(s, bound=100),
        Selection(session_ids=["s1"], since=at(5), until=at(60)),
        {BY_SESSION},
    ),
    "properties": (
        lambda s: sql.holding(s, [[("n", 3), ("n", 4)]], bound=100),
        Selection(filter=parse("m.n IN (3, 4)")),
        {"episodic_derivative_pkey"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("planned", [plan, generic_plan])
@pytest.mark.parametrize("name", WAYS)
def test_a_search_reads_the_index_of_its_way(memory, name, planned):
    way, selection, indexes = WAYS[name]
    looked_for = search(memory, selection)
    dense.opened(memory.tenant, limit=10)
    found = planned(*sql.nearest(looked_for, way(looked_for), rows=40))
    assert scans(found, "episodic_derivative") == indexes
    assert scans(found, "episodic_link") <= {"episodic_link_pkey", "link_segment"}
    assert scans(found, "episodic_segment") <= {"episodic_segment_pkey", "segment_properties"}


def test_few_pages_are_read_for_few_rows(memory):
    for name in ("time", "sessions in a time", "properties"):
        way, selection, _ = WAYS[name]
        looked_for = search(memory, selection)
        dense.opened(memory.tenant, limit=10)
        found = plan(*sql.nearest(looked_for, way(looked_for), rows=40))
        assert buffers(found) < 1_000, (name, found)


@pytest.mark.parametrize("selection", [Selection(), Selection(filter=parse("m.n = -1"))])
def test_a_walk_reads_the_timeline_s_index(memory, selection):
    anchor = Segment.objects.filter(tenant=memory.tenant, timestamp=at(1_000)).get()
    with CaptureQueriesContext(connection) as captured:
        memory.expand(anchor.uuid, before=2, after=4, selection=selection)
    (walk,) = [each["sql"] for each in captured if "WITH seed" in each["sql"]]
    found = plan(walk, None)
    assert scans(found, "episodic_segment") == {"segment_timeline", "episodic_segment_pkey"}
    assert scans(found, "episodic_event") <= {"episodic_event_pkey"}


@pytest.mark.parametrize(
    ("selection", "index"),
    [
        (Selection(), "event_timeline"),
        (Selection(since=at(2_000)), "event_timeline"),
        (Selection(session_ids=["s1"]), "event_session"),
        (Selection(session_ids=["s1"], since=at(2_000)), "event_session"),
    ],
)
def test_a_page_of_events_reads_no_more_than_the_page(memory, selection, index):
    check_alive(memory.tenant)
    statement, params = page_of_events(
        tenant_id=memory.tenant.pk, selection=selection, after=(at(1_500), uuid4()), limit=20
    )
    found = plan(statement, params)
    assert scans(found, "episodic_event") == {index}
    assert buffers(found) < 100
    assert scans(generic_plan(statement, params), "episodic_event") == {index}


def test_keys_are_looked_up_and_nothing_is_scanned(memory):
    uuids = [held.event.uuid for held in memory.events(limit=20).items]
    params = {"tenant": memory.tenant.pk, "uuids": uuids}
    pin(memory.tenant)
    for statement in (HELD, FORGET):
        found = plan(statement, params)
        assert buffers(found) < 1_000, found
    events = [held.event.pk for held in memory.events(limit=20).items]
    assert buffers(plan(PIECES, {"tenant": memory.tenant.pk, "events": events})) < 1_000


def test_a_batch_of_a_purge_reads_what_it_forgets(memory):
    with own_session() as session, session.cursor() as cursor:
        cursor.execute("SET enable_sort = off")
        for scope in (Scope(before=at(2_000)), Scope(session_id="s1")):
            statement, params = forget_batch(memory.tenant.pk, scope, after=None, size=20)
            cursor.execute(f"EXPLAIN (COSTS OFF) {statement}", params)
            found = "\n".join(line for (line,) in cursor.fetchall())
            assert scans(found, "episodic_event") <= {
                "event_timeline", "event_session", "episodic_event_pkey",
            }, found  # fmt: skip


def test_with_an_index_the_sealed_rows_come_from_it_and_the_tail_from_its_ids(
    newcomer, settings, django_db_blocker
):
    settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD = 1_000
    memory = newcomer
    with django_db_blocker.unblock(), own_session() as session:
        wanted = f"{memory.tenant.name!r}"
        for step in steps(session):
            if wanted in step.words:
                step.run(session)
        memory.encode([message(f"new {n}", minute=n) for n in range(30)])
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            sealed = dense.opened(memory.tenant, limit=10)
            assert sealed is not None
            looked_for = search(memory)
            way = sql.indexed(looked_for, sealed=sealed, wanted=140, reach=140)
            found = plan(*sql.nearest(looked_for, way, rows=40))
            cursor.execute("ROLLBACK")
        assert buffers(found) < 5_000
        names = scans(found, "episodic_derivative")
        assert names == {"derivative_id_per_tenant", VectorIndex.objects.get().name}
        connection.cursor().execute(f"DROP INDEX {VectorIndex.objects.get().name}")
