"""An index made and unmade in PostgreSQL, beside those who read and write."""

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now

from episodic.indexing.calibration import breadth
from episodic.models import VectorIndex
from episodic.sql import indexing as sql

MB = 1024**2
# Of a graph with 16 links a node, beside the vector itself: measured at 256 dimensions.
NODE_BYTES = 500


def build(session: BaseDatabaseWrapper, index: VectorIndex, *, memory: int) -> None:
    """Build the index, measure it, and let searches use it.

    `memory` is what PostgreSQL may use for it, in bytes. A graph that does not fit is finished
    on disk, slowly.
    """
    needed = index.rows * (2 * index.dimensions + NODE_BYTES) * 3 // 2 + 64 * MB
    with session.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('maintenance_work_mem', %s, FALSE)",
            [f"{min(memory, needed) // 1024}kB"],
        )
        cursor.execute(sql.create(index))
    finish(session, index)


def finish(session: BaseDatabaseWrapper, index: VectorIndex) -> None:
    """Measure an index that was built, and let searches use it."""
    index.breadth = breadth(session, index)
    with session.cursor() as cursor:
        cursor.execute(sql.ANALYZE)
    VectorIndex.objects.filter(pk=index.pk).update(breadth=index.breadth, ready_at=Now())


def remove(session: BaseDatabaseWrapper, index: VectorIndex) -> None:
    """Drop an index: new searches do without it at once, those under way are waited for."""
    VectorIndex.objects.filter(pk=index.pk).delete()
    drop(session, index.name)


def drop(session: BaseDatabaseWrapper, name: str) -> None:
    with session.cursor() as cursor:
        cursor.execute(sql.drop(name))


def in_catalog(session: BaseDatabaseWrapper) -> dict[str, bool]:
    """The vector indexes that PostgreSQL has, by name, and whether each is valid."""
    with session.cursor() as cursor:
        cursor.execute(sql.IN_CATALOG)
        return dict(cursor.fetchall())
