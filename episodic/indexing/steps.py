"""The work on vector indexes, step by step: each can be shown before it is done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from episodic.indexing.build import build, drop, finish, in_catalog, remove
from episodic.indexing.plan import MAX_INDEXES, Large, large_tenants
from episodic.models import VectorIndex
from episodic.sql import indexing as sql
from memmachine.database import own_session


@dataclass(frozen=True)
class Step:
    """What is done, in words, to how many vectors, and by which call."""

    words: str
    run: Callable[[BaseDatabaseWrapper], None]
    vectors: int = 0


@contextmanager
def builder() -> Iterator[BaseDatabaseWrapper | None]:
    """The session of the one that may work on indexes; None while another does."""
    with own_session() as session:
        with session.cursor() as cursor:
            cursor.execute(sql.LOCK)
            (is_ours,) = cursor.fetchone()
        yield session if is_ours else None


def steps(session: BaseDatabaseWrapper, since: int = -1) -> Iterator[Step]:
    """What there is to do: first what an interrupted run, a deletion or a new embedder left
    behind, then what those tenants need that wrote after the derivative `since` (all, where that
    is negative). A step is decided on when those before it were done."""
    yield from _leftovers(session)
    yield from _needs(since)


def _leftovers(session: BaseDatabaseWrapper) -> Iterator[Step]:
    valid = in_catalog(session)
    known = {index.name: index for index in VectorIndex.objects.all()}
    stale = {index.name for index in VectorIndex.objects.raw(sql.STALE)}
    for name in valid.keys() - known.keys():
        yield Step(f"drop {name}, which nothing uses", _dropping(name))
    for name, index in known.items():
        if name not in valid:
            yield Step(f"forget {name}, which is gone", _removing(index))
        elif name in stale and valid[name] and _is_current(index):
            yield Step(f"finish {name}, which was built", _finishing(index), index.rows)
        elif name in stale:
            yield Step(f"drop {name}, which serves nobody", _removing(index))


def _is_current(index: VectorIndex) -> bool:
    """Whether its tenant lives and searches its generation."""
    tenant = index.tenant
    return tenant.deleted_at is None and tenant.generation == index.generation


def _needs(since: int) -> Iterator[Step]:
    room = MAX_INDEXES - VectorIndex.objects.count()
    for large in large_tenants(since):
        who = f"tenant {large.name!r}"
        if large.is_shrunk():
            yield Step(f"drop the index of {who}, which has become small", _removing_all(large))
        elif (reason := large.reason()) and (large.index_id is not None or room > 0):
            room -= large.index_id is None
            words = f"build an index for {who} ({reason}): {large.rows:,} vectors"
            yield Step(words, _building(large), large.rows)


def _dropping(name: str) -> Callable[[BaseDatabaseWrapper], None]:
    return lambda session: drop(session, name)


def _removing(index: VectorIndex) -> Callable[[BaseDatabaseWrapper], None]:
    return lambda session: remove(session, index)


def _removing_all(large: Large) -> Callable[[BaseDatabaseWrapper], None]:
    def run(session: BaseDatabaseWrapper) -> None:
        for index in VectorIndex.objects.filter(tenant=large.tenant_id):
            remove(session, index)

    return run


def _finishing(index: VectorIndex) -> Callable[[BaseDatabaseWrapper], None]:
    def run(session: BaseDatabaseWrapper) -> None:
        finish(session, index)
        _remove_older(session, index)

    return run


def _building(large: Large) -> Callable[[BaseDatabaseWrapper], None]:
    def run(session: BaseDatabaseWrapper) -> None:
        index = VectorIndex.objects.create(
            tenant_id=large.tenant_id,
            generation=large.generation,
            sealed=large.last,
            dimensions=large.dimensions,
            rows=large.rows,
        )
        try:
            build(session, index, memory=settings.MEMMACHINE_INDEX_MEMORY_MB * 1024**2)
        except BaseException:
            remove(session, index)  # what was interrupted is of no use
            raise
        _remove_older(session, index)

    return run


def _remove_older(session: BaseDatabaseWrapper, index: VectorIndex) -> None:
    for older in VectorIndex.objects.filter(tenant=index.tenant_id).exclude(pk=index.pk):
        remove(session, older)
