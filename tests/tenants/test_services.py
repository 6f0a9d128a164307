"""A tenant's life: its name, its creation, its deletion."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import IntegrityError, connections, transaction

from memmachine.errors import InvalidRequest, TenantNotFound
from tenants.models import Tenant
from tenants.services import check_alive, create_tenant, delete_tenant, pin

NAMES = ["a", "a b", " ", "...", "ä", "日本", "a/b", "\u2028", "x" * 255, "é" * 127 + "x"]
REFUSED = ["", ".", "..", "a\0", "\n", "\x7f", "\x85", "x" * 256, "é" * 128]


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_any_text_of_1_to_255_bytes_is_a_name(name):
    made, created = create_tenant(name)
    assert (Tenant.objects.named(name), created) == (made, True)


@pytest.mark.django_db
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("action", [create_tenant, delete_tenant])
def test_what_cannot_stand_in_a_path_is_no_name(action, name):
    with pytest.raises(InvalidRequest, match="tenant: "):
        action(name)
    assert not Tenant.objects.exists()


def test_names_differ_by_code_point(db):
    made = {create_tenant(name)[0] for name in ["a", "A", "a ", "\u00e9", "e\u0301"]}
    assert len(made) == 5


def test_creating_again_changes_nothing(tenant):
    Tenant.objects.update(query_limit=3)
    again, created = create_tenant("tenant")
    assert (again.pk, again.query_limit, created) == (tenant.pk, 3, False)


def test_deleting_frees_the_name_for_another_life(tenant, stranger):
    delete_tenant("tenant")
    with pytest.raises(TenantNotFound):
        Tenant.objects.named("tenant")
    again, created = create_tenant("tenant")
    assert created
    assert again.pk != tenant.pk
    assert set(Tenant.objects.live()) == {again, stranger}


def test_deleting_again_or_what_never_was_is_fine(tenant, stranger):
    for name in ("tenant", "tenant", "nobody"):
        delete_tenant(name)
    assert set(Tenant.objects.live()) == {stranger}


def test_the_dead_are_neither_pinned_nor_read(tenant):
    for check in (pin, check_alive):
        check(tenant)
    delete_tenant("tenant")
    for check in (pin, check_alive):
        with pytest.raises(TenantNotFound, match="'tenant' was deleted"):
            check(tenant)


@pytest.mark.parametrize("fields", [{"name": None}, {"deleted_at": "2026-01-01T00:00Z"}])
def test_the_database_keeps_a_name_to_the_living(tenant, fields):
    with pytest.raises(IntegrityError, match="tenant_is_named_while_it_lives"):
        Tenant.objects.update(**fields)


def concurrently(action):
    """`action`, in a thread that gives its connection back."""
    try:
        return action()
    finally:
        connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_of_eight_creations_at_once_one_makes_the_tenant():
    barrier = Barrier(8)

    def create():
        barrier.wait(timeout=10)
        return create_tenant("tenant")

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(concurrently, [create] * 8))
    assert sorted(created for _, created in made) == [False] * 7 + [True]
    assert {tenant.pk for tenant, _ in made} == {Tenant.objects.get().pk}


@pytest.mark.django_db(transaction=True)
def test_a_deletion_waits_for_who_has_pinned_the_tenant(tenant):
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            pin(tenant)
            deletion = pool.submit(concurrently, lambda: delete_tenant("tenant"))
            with pytest.raises(TimeoutError):
                deletion.result(timeout=0.3)
        deletion.result(timeout=10)
    assert not Tenant.objects.live().exists()


@pytest.mark.django_db(transaction=True)
def test_who_has_pinned_the_tenant_keeps_no_other_writer_waiting(tenant):
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        pin(tenant)
        pool.submit(concurrently, lambda: transaction.atomic(pin)(tenant)).result(timeout=10)


@pytest.mark.django_db(transaction=True)
def test_creations_that_race_with_deletions_fail_for_nobody():
    def work(number):
        try:
            for _ in range(150):
                create_tenant("contested") if number % 2 else delete_tenant("contested")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert Tenant.objects.live().count() <= 1
