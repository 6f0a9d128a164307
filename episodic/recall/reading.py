"""Where a tenant's memory is read: on the replica if it can be, else on the primary."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections

from memmachine.errors import TenantNotFound
from memmachine.replica import REPLICA, replica
from memmachine.snapshot import snapshot
from tenants.models import Tenant
from tenants.services import check_alive

Begin = Callable[[Tenant], Any]


@contextmanager
def reading_of(tenant: Tenant, begin: Begin = check_alive) -> Iterator[Any]:
    """A snapshot in which the tenant is alive, with what `begin` gives, or its TenantNotFound."""
    opened, begun = _on_replica(tenant, begin) or _opened(tenant, DEFAULT_DB_ALIAS, begin)
    with opened:
        yield begun


def _on_replica(tenant: Tenant, begin: Begin) -> tuple[ExitStack, Any] | None:
    """The replica's snapshot; None where it cannot be read, or does not know the tenant yet."""
    if not replica.is_usable():
        return None
    connection.close()  # a request holds one connection at a time, or requests wait in a circle
    try:
        return _opened(tenant, REPLICA, begin)
    except TenantNotFound:
        pass
    except Error:
        replica.look()
    connections[REPLICA].close()
    return None


def _opened(tenant: Tenant, alias: str, begin: Begin) -> tuple[ExitStack, Any]:
    with ExitStack() as opening:
        opening.enter_context(snapshot(alias))
        begun = begin(tenant)
        return opening.pop_all(), begun
