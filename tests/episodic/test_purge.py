"""Forgetting in bulk: `purge_events` and `purge_tenants`."""

from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from threading import Event as Flag
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from episodic.maintenance import Maintenance
from episodic.memory import EventMemory
from episodic.models import Derivative, Event, Link, Segment, VectorIndex
from tenants.models import Tenant
from tenants.services import create_tenant, delete_tenant
from tests.episodic.worlds import SESSIONS, SOURCES, batches, few, new_memory
from tests.factories import at, message, text, thinking
from tests.factories import event as new_event


def run(command: str, *arguments: object) -> str:
    said = StringIO()
    call_command(command, *map(str, arguments), stdout=said, stderr=StringIO())
    return said.getvalue()


def held(memory: EventMemory) -> list[str]:
    """The texts of a memory, oldest first."""
    return [block["text"] for each in memory.events(limit=1_000).items for block in each.blocks]


def rows(tenant: Tenant) -> list[int]:
    return [
        model.objects.filter(tenant=tenant).count() for model in (Event, Segment, Derivative, Link)
    ]


@pytest.fixture
def filled(transactional_db, memory, strange_memory) -> Iterator[EventMemory]:
    """Ten messages a minute apart, in two sessions and from two sources; a stranger has too."""
    batch = [
        message(f"said {n}", minute=n, session_id="ab"[n % 2], source_id="xy"[n // 5])
        for n in range(10)
    ]
    memory.encode(batch)
    strange_memory.encode(batch)
    yield memory
    assert held(strange_memory) == [f"said {n}" for n in range(10)]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--before", at(4).isoformat()], "456789"),
        (["--session", "a"], "13579"),
        (["--source", "x"], "56789"),
        (["--session", "b", "--source", "y", "--before", at(8).isoformat()], "0123468" + "9"),
    ],
)
def test_what_meets_all_conditions_is_forgotten(filled, options, left):
    said = run("purge_events", "--tenant", "tenant", *options, "--batch-size", 2)
    assert held(filled) == [f"said {n}" for n in left]
    assert said == f"Forgot {10 - len(left)} of {10 - len(left)} events of 1 tenants.\n"
    assert rows(filled.tenant) == [len(left)] * 4


def test_options_may_come_from_python(filled):
    call_command(
        "purge_events", tenant="tenant", before="2026-06-01T12:04Z", stdout=StringIO(),
        stderr=StringIO(),
    )  # fmt: skip
    assert len(held(filled)) == 6


def test_a_time_without_an_offset_is_utc(filled):
    run("purge_events", "--tenant", "tenant", "--before", "2026-06-01T12:04")
    assert len(held(filled)) == 6


def test_by_age_alone_every_tenant_is_purged(transactional_db, memory, strange_memory):
    for each in (memory, strange_memory):
        each.encode([message(f"said {n}", minute=n) for n in range(4)])
    assert "Forgot 4 of 4 events of 2 tenants" in run("purge_events", "--before", at(2).isoformat())
    assert held(memory) == held(strange_memory) == ["said 2", "said 3"]


def test_a_dry_run_counts_and_changes_nothing(filled):
    said = run("purge_events", "--tenant", "tenant", "--session", "a", "--dry-run")
    assert "Would forget 5 events of tenant 'tenant'" in said
    assert len(held(filled)) == 10


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "Say what to forget"),
        (["--tenant", "tenant"], "Say what to forget"),
        (["--session", "a"], "name it with --tenant"),
        (["--tenant", "nobody", "--session", "a"], "There is no tenant 'nobody'"),
        (["--before", "yesterday"], "--before: 'yesterday' is no date"),
        (["--before", "2026-01-01", "--batch-size", "0"], "--batch-size"),
        (["--before", "2026-01-01", "--max-seconds", "-1"], "--max-seconds"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_forgotten(filled, arguments, complaint):
    with pytest.raises(CommandError, match=complaint):
        run("purge_events", *arguments)
    assert len(held(filled)) == 10


def test_when_the_time_is_up_the_oldest_are_gone_and_the_rest_is_for_the_next_run(filled):
    arguments = ["--tenant", "tenant", "--before", at(8).isoformat(), "--batch-size", 3]
    with pytest.raises(CommandError, match="5 events are left") as stopped:
        run("purge_events", *arguments, "--max-seconds", 1e-9)
    assert stopped.value.returncode == 3
    assert held(filled) == [f"said {n}" for n in range(3, 10)]
    assert "Forgot 5 of 5 events" in run("purge_events", *arguments)
    assert held(filled) == ["said 8", "said 9"]


def test_what_another_has_locked_is_passed_over_and_left_for_the_next_run(filled):
    arguments = ["--tenant", "tenant", "--before", at(8).isoformat(), "--batch-size", 2]
    with closing(connection.copy()) as other:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM episodic_event WHERE tenant_id = %s AND timestamp = %s FOR UPDATE",
                [filled.tenant.pk, at(3)],
            )
        with pytest.raises(CommandError, match="1 events are left"):
            run("purge_events", *arguments)
        other.rollback()
    assert held(filled) == ["said 3", "said 8", "said 9"]
    run("purge_events", *arguments)
    assert held(filled) == ["said 8", "said 9"]


def test_two_runs_at_once_forget_all_between_them(transactional_db, memory):
    memory.encode([message(f"said {n}", minute=n) for n in range(300)])
    arguments = ["--tenant", "tenant", "--before", at(290).isoformat(), "--batch-size", 7]
    failures = []

    def purge() -> None:
        try:
            run("purge_events", *arguments)
        except CommandError as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [Thread(target=purge) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert held(memory) == [f"said {n}" for n in range(290, 300)]


def test_a_query_during_a_purge_never_sees_half_an_event(transactional_db, memory):
    def said(n):
        return new_event(text(f"a foghorn {n}"), thinking("why"), text("and on"), minute=n)

    memory.encode([said(n) for n in range(200)])
    done = Flag()
    seen: list[list[int]] = []

    def watch() -> None:
        while not done.is_set():
            for hit in memory.query("foghorn", limit=50, expand_context=6):
                seed = hit.segments[hit.seed]
                seen.append([s.index for s in hit.segments if s.event_uuid == seed.event_uuid])
        connection.close()

    watcher = Thread(target=watch)
    watcher.start()
    run("purge_events", "--tenant", "tenant", "--before", at(200).isoformat(), "--batch-size", 5)
    done.set()
    watcher.join()
    assert held(memory) == []
    assert seen
    assert all(indexes == [0, 1, 2] for indexes in seen)


def test_deleted_tenants_are_removed_the_first_first(filled):
    empty, _ = create_tenant("empty")
    delete_tenant("tenant")
    delete_tenant("empty")
    said = run("purge_tenants", "--dry-run")
    assert said.index(f"tenant {filled.tenant.pk} with 10") < said.index(
        f"tenant {empty.pk} with 0"
    )
    assert run("purge_tenants") == "Removed 2 of 2 tenants, and 10 events.\n"
    assert rows(filled.tenant) == [0] * 4
    assert not Tenant.objects.filter(pk__in=[filled.tenant.pk, empty.pk]).exists()


def test_a_tenant_that_lives_again_under_a_purged_name_keeps_what_it_holds(filled):
    delete_tenant("tenant")
    again = EventMemory(create_tenant("tenant")[0])
    again.encode([message("new")])
    run("purge_tenants")
    assert held(again) == ["new"]


def test_a_purge_that_stops_leaves_the_tenant_s_row_for_the_next_run(filled):
    delete_tenant("tenant")
    with pytest.raises(CommandError, match="6 events are left"):
        run("purge_tenants", "--batch-size", 4, "--max-seconds", 1e-9)
    assert Tenant.objects.filter(pk=filled.tenant.pk).exists()
    assert rows(filled.tenant) == [6] * 4
    run("purge_tenants", "--batch-size", 4)
    assert not Tenant.objects.filter(pk=filled.tenant.pk).exists()


def test_only_those_deleted_before_a_time_or_of_an_id_are_removed(filled):
    delete_tenant("tenant")
    assert run("purge_tenants", "--before", "2020-01-01").startswith("Removed 0 of 0")
    assert run("purge_tenants", "--tenant", filled.tenant.pk + 1_000).startswith("Removed 0 of 0")
    assert run("purge_tenants", "--tenant", filled.tenant.pk).startswith("Removed 1 of 1")


def test_maintenance_removes_deleted_tenants_and_builds_indexes(filled, settings, stranger):
    settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD = 5
    delete_tenant("tenant")
    maintenance = Maintenance()
    maintenance.purge()
    maintenance.index()
    assert not Tenant.objects.filter(pk=filled.tenant.pk).exists()
    index = VectorIndex.objects.get(tenant=stranger)
    assert index.ready_at is not None
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {index.name}")


@few
@given(
    events=batches,
    before=st.none() | st.integers(0, 2),
    session=st.none() | st.sampled_from(SESSIONS),
    source=st.none() | st.sampled_from(SOURCES),
    size=st.integers(1, 9),
)
@pytest.mark.django_db(transaction=True)
def test_a_purge_keeps_exactly_what_is_outside_its_scope(events, before, session, source, size):
    memory, stranger = new_memory(), new_memory()
    for each in (memory, stranger):
        each.encode(events)
    options = []
    for name, value in [("session", session), ("source", source)]:
        options += [f"--{name}={value}"] if value is not None else []
    options += [f"--before={at(before).isoformat()}"] if before is not None else []
    if not options:
        return
    run("purge_events", "--tenant", memory.tenant.name, *options, "--batch-size", size)
    kept = {
        event.id
        for event in events
        if not (
            (before is None or event.timestamp < at(before))
            and (session is None or event.session_id == session)
            and (source is None or event.source_id == source)
        )
    }
    assert {each.event.uuid for each in memory.events(limit=1_000).items} == kept
    assert len(stranger.events(limit=1_000).items) == len(events)
