"""Forgetting much, a batch at a time: each is a transaction of its own, oldest events first.

Several can run at once, since none waits for what another has locked, and one that was stopped
is run again. A reader sees an event whole or not at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from episodic.indexing.build import remove
from episodic.indexing.steps import builder
from episodic.models import VectorIndex
from episodic.sql import purging as sql
from tenants.models import Tenant


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which of a tenant's events: all conditions hold. `before` is exclusive."""

    before: datetime | None = None
    session_id: str | None = None
    source_id: str | None = None


EVERYTHING = Scope()


def matching(tenants: Sequence[Tenant], scope: Scope) -> dict[Tenant, int]:
    """How many events of the scope each tenant has, where it has any."""
    statement, params = sql.matching([tenant.pk for tenant in tenants], scope)
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        counts = dict(cursor.fetchall())
    return {tenant: counts[tenant.pk] for tenant in tenants if tenant.pk in counts}


def forget_in_batches(
    session: BaseDatabaseWrapper, tenant: Tenant, scope: Scope, *, size: int
) -> Iterator[int]:
    """Forget the scope's events, `size` at a time, yielding how many each batch forgot.

    What others have locked is passed over, and tried once more at the end. Each batch goes on
    from the last one: to start at the front would be to step over the dead again and again.
    """
    for _ in range(2):
        after = None
        while True:
            statement, params = sql.forget_batch(tenant.pk, scope, after=after, size=size)
            with session.cursor() as cursor:
                cursor.execute(statement, params)
                gone = cursor.fetchall()
            if not gone:
                break
            after = max(gone)
            yield len(gone)


def drop_indexes(tenants: Sequence[Tenant]) -> None:
    """Drop dead tenants' vector indexes: nothing costs a vacuum more than a dead graph.

    While somebody builds indexes they are left to that one, who will find that nobody uses them.
    """
    indexes = list(VectorIndex.objects.filter(tenant__in=tenants))
    if not indexes:
        return
    with builder() as session:
        for index in indexes:
            if session is not None:
                remove(session, index)
            else:
                index.delete()


def bury(tenant: Tenant) -> None:
    """Remove the row of a dead tenant that holds nothing any more."""
    VectorIndex.objects.filter(tenant=tenant).delete()
    Tenant.objects.filter(pk=tenant.pk, deleted_at__isnull=False).delete()
