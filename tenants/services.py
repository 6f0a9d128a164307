"""A tenant's life: created, pinned while it is written to, deleted."""

from django.db import IntegrityError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now

from memmachine.errors import TenantNotFound
from memmachine.snapshot import reading
from tenants import sql
from tenants.models import Tenant
from tenants.names import check_name


def create_tenant(name: str) -> tuple[Tenant, bool]:
    """The live tenant of that name, and whether this call made it."""
    check_name(name)
    while True:
        try:
            return Tenant.objects.get_or_create(name=name)
        except IntegrityError:
            continue  # another call made it, and a third deleted it before we could look


@transaction.atomic
def delete_tenant(name: str) -> None:
    """Hide all that the tenant holds and free its name at once; fine when there is none.

    One row is written whatever the size. The lock waits for every writer that has pinned the
    tenant, so that no row arrives under a dead one.
    """
    tenant = Tenant.objects.live().select_for_update().filter(name=check_name(name)).first()
    if tenant is not None:
        Tenant.objects.filter(pk=tenant.pk).update(name=None, deleted_at=Now())


def pin(tenant: Tenant) -> None:
    """Keep the tenant alive until the transaction ends; TenantNotFound if it is dead already."""
    _find(connection, sql.PIN, tenant)


def check_alive(tenant: Tenant) -> None:
    """TenantNotFound where the tenant is dead in the snapshot that is being read."""
    _find(reading(), sql.ALIVE, tenant)


def _find(database: BaseDatabaseWrapper, statement: str, tenant: Tenant) -> None:
    with database.cursor() as cursor:
        cursor.execute(statement, {"tenant": tenant.pk})
        if cursor.fetchone() is None:
            raise TenantNotFound(f"The tenant {tenant.name!r} was deleted.")
