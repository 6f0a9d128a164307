"""Which vector indexes there are after `index_tenants`, whatever was there before."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.core.management import CommandError
from django.db import connection

from episodic.indexing.build import in_catalog
from episodic.indexing.steps import builder
from episodic.models import Event, VectorIndex
from memmachine.database import own_session
from tenants.models import Tenant
from tenants.services import delete_tenant
from tests.episodic.indexing.conftest import chatter, index_tenants

pytestmark = pytest.mark.usefixtures("large")


def index_of(memory) -> VectorIndex:
    return VectorIndex.objects.get(tenant=memory.tenant)


def uuids_of(memory) -> list[UUID]:
    return list(Event.objects.filter(tenant=memory.tenant).values_list("uuid", flat=True))


def names() -> set[str]:
    return set(in_catalog(connection))


def test_tenants_above_the_threshold_get_an_index_and_small_ones_none(large, stranger):
    small = Tenant.objects.create(name="small")
    said = index_tenants()
    assert "build an index for tenant 'tenant' (has none): 300 vectors" in said
    assert {index.tenant_id for index in VectorIndex.objects.all()} == {
        large.tenant.pk,
        stranger.pk,
    }
    assert small.pk not in VectorIndex.objects.values_list("tenant", flat=True)
    index = index_of(large)
    assert (index.rows, index.dimensions) == (300, 256)
    assert index.breadth in range(100, 1001)
    assert index.ready_at is not None
    assert in_catalog(connection)[index.name] is True


def test_a_dry_run_says_what_would_be_done_and_does_nothing(large):
    assert "Would build an index for tenant 'tenant'" in index_tenants("--dry-run")
    assert names() == set()
    assert not VectorIndex.objects.exists()


def test_a_second_run_finds_nothing_to_do():
    index_tenants()
    before = names()
    assert index_tenants() == "Every index is as it should be.\n"
    assert names() == before


def test_a_tail_that_has_grown_is_sealed_anew_and_the_old_index_dropped(large):
    index_tenants()
    old = index_of(large)
    large.encode(chatter(30, seed=1))
    assert index_tenants() == "Every index is as it should be.\n"
    large.encode(chatter(30, seed=2))
    assert "(60 newer vectors)" in index_tenants()
    new = index_of(large)
    assert (new.rows, old.name in names(), new.name in names()) == (360, False, True)


def test_an_index_of_which_much_was_forgotten_is_built_anew(large):
    index_tenants()
    old = index_of(large)
    large.forget(uuids_of(large)[:10])
    assert "(10 of its vectors forgotten)" in index_tenants()
    assert index_of(large).rows == 290
    assert old.name not in names()


def test_the_index_of_a_tenant_that_became_small_is_dropped(large):
    index_tenants()
    large.forget(uuids_of(large)[:250])
    assert "which has become small" in index_tenants()
    assert not VectorIndex.objects.filter(tenant=large.tenant).exists()
    assert len(names()) == 1


def test_the_index_of_a_deleted_tenant_is_dropped(large):
    index_tenants()
    delete_tenant("tenant")
    index_tenants()
    assert not VectorIndex.objects.filter(tenant=large.tenant).exists()
    assert len(names()) == 1


def test_the_index_of_a_former_generation_is_dropped(large):
    index_tenants()
    Tenant.objects.filter(pk=large.tenant.pk).update(generation=2)
    assert "which serves nobody" in index_tenants()
    assert not VectorIndex.objects.filter(tenant=large.tenant).exists()
    assert len(names()) == 1


def test_an_invalid_index_that_a_crash_left_is_dropped_and_built_again(large):
    index_tenants()
    crashed = index_of(large)
    VectorIndex.objects.filter(pk=crashed.pk).update(ready_at=None)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = to_regclass(%s)",
            [crashed.name],
        )
    said = index_tenants()
    assert f"drop {crashed.name}" in said
    assert "build an index for tenant 'tenant'" in said
    assert index_of(large).pk != crashed.pk
    assert all(in_catalog(connection).values())


def test_an_index_that_was_built_and_not_yet_released_is_finished(large):
    index_tenants()
    index = index_of(large)
    VectorIndex.objects.filter(pk=index.pk).update(ready_at=None, breadth=None)
    assert f"finish {index.name}" in index_tenants()
    finished = index_of(large)
    assert (finished.pk, finished.ready_at is None, finished.breadth is None) == (
        index.pk,
        False,
        False,
    )


def test_an_index_that_no_row_names_is_dropped_and_a_row_without_one_forgotten(large):
    index_tenants()
    index = index_of(large)
    with own_session() as session, session.cursor() as cursor:
        cursor.execute(f"ALTER INDEX {index.name} RENAME TO derivative_near_0_0_0")
    said = index_tenants()
    assert "drop derivative_near_0_0_0, which nothing uses" in said
    assert f"forget {index.name}, which is gone" in said
    assert names() == {each.name for each in VectorIndex.objects.all()}
    assert index_of(large).pk != index.pk


CANCEL = """
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE query LIKE '%CREATE INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()
       AND datname = current_database()
"""


def test_an_interrupted_build_leaves_nothing_behind_and_can_be_run_again(large, stranger):
    with own_session() as blocker, own_session() as canceller, ThreadPoolExecutor(1) as pool:
        for session in (blocker, canceller):
            session.inc_thread_sharing()
        # A build waits for the transaction that is open here, until it is cancelled.
        blocker.set_autocommit(False)
        blocker.cursor().execute("SELECT count(*) FROM episodic_derivative")

        def cancel() -> None:
            with canceller.cursor() as cursor:
                while not cursor.rowcount > 0:
                    cursor.execute(CANCEL)
            blocker.rollback()

        cancelled = pool.submit(cancel)
        with pytest.raises(CommandError, match="1 of 2 steps failed; run it again"):
            index_tenants()
        cancelled.result(timeout=10)
    (index,) = VectorIndex.objects.all()
    assert in_catalog(connection) == {index.name: True}
    index_tenants()
    assert len(names()) == 2


def test_there_are_no_more_indexes_than_planning_can_bear(large, monkeypatch):
    monkeypatch.setattr("episodic.indexing.steps.MAX_INDEXES", 1)
    large.encode(chatter(60, seed=1))
    index_tenants()
    assert [index.tenant for index in VectorIndex.objects.all()] == [large.tenant]
    large.encode(chatter(60, seed=2))
    assert "(60 newer vectors)" in index_tenants()
    assert len(names()) == 1


def test_a_run_beside_another_says_so_and_does_nothing():
    with builder() as session:
        assert session is not None
        assert index_tenants() == "Another run is at work on the indexes.\n"
    assert names() == set()
