"""Where a tenant's memory is read: on the replica if it can be, else on the primary."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections

from memmachine.errors import TenantNotFound
from memmachine.replica import REPLICA, replica
from memmachine.snapshot import snapshot
from tenants.models import Tenant
from tenants.services import check_alive


@contextmanager
def reading_of(tenant: Tenant) -> Iterator[None]:
    """A snapshot in which the tenant is alive, or TenantNotFound."""
    with _on_replica(tenant) or _opened(tenant, DEFAULT_DB_ALIAS):
        yield


def _on_replica(tenant: Tenant) -> ExitStack | None:
    """The replica's snapshot; None where it cannot be read, or does not know the tenant yet."""
    if not replica.is_usable():
        return None
    connection.close()  # a request holds one connection at a time, or requests wait in a circle
    try:
        return _opened(tenant, REPLICA)
    except TenantNotFound:
        pass
    except Error:
        replica.look()
    connections[REPLICA].close()
    return None


def _opened(tenant: Tenant, alias: str) -> ExitStack:
    with ExitStack() as opening:
        opening.enter_context(snapshot(alias))
        check_alive(tenant)
        return opening.pop_all()
