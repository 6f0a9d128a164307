"""What there is to do for the vector indexes: a decision a tenant, from counts."""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from episodic.models import COVERED_DIMENSIONS
from episodic.sql import indexing as sql

# Planning any statement on derivatives takes longer the more indexes there are.
MAX_INDEXES = 200
# What pgvector can index.
MAX_DIMENSIONS = 4_000
# An index is sealed again when so large a share of it is new, or was forgotten: dead rows cost
# each vacuum more than a new index does.
NEW_SHARE = FORGOTTEN_SHARE = 50


@dataclass(frozen=True)
class Large:
    """A tenant with many derivatives, or with an index."""

    tenant_id: int
    name: str
    generation: int
    index_id: int | None
    sealed_rows: int | None
    dimensions: int
    last: int
    rows: int
    new: int

    @property
    def threshold(self) -> int:
        """How many derivatives are searched exactly as fast as with an index."""
        threshold: int = settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD
        return threshold // 5 if self.dimensions > COVERED_DIMENSIONS else threshold

    def reason(self) -> str | None:
        """Why a new index is to be built, or None."""
        if self.rows <= self.threshold or self.dimensions > MAX_DIMENSIONS:
            return None
        if self.sealed_rows is None:
            return "has none"
        if self.new > max(self.threshold // 5, self.sealed_rows // NEW_SHARE):
            return f"{self.new:,} newer vectors"
        forgotten = self.sealed_rows - (self.rows - self.new)
        if forgotten > self.sealed_rows // FORGOTTEN_SHARE:
            return f"{forgotten:,} of its vectors forgotten"
        return None

    def is_shrunk(self) -> bool:
        """Whether it has an index and is far from needing one."""
        return self.index_id is not None and self.rows < self.threshold // 2


def large_tenants(since: int = -1) -> list[Large]:
    """The tenants to decide about, largest first: of those that wrote after the derivative
    `since`, or of all where that is negative."""
    least = settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD // 5
    with connection.cursor() as cursor:
        cursor.execute(sql.LARGE_TENANTS, {"since": since, "least": least})
        return [Large(*row) for row in cursor.fetchall()]


def last_derivative() -> int:
    """The id of the newest derivative of all."""
    with connection.cursor() as cursor:
        cursor.execute(sql.LAST_DERIVATIVE)
        last: int = cursor.fetchone()[0]
    return last
