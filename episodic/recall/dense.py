"""The segments nearest to a cue, under all filters.

Ways are tried in turn, and none is chosen by an estimate: what a session, a time or a property
holds is searched exactly where a bounded count says that it is little; then the vector index,
where the tenant has one, as far as it finds enough that is selected; and at last all there is.
So `limit` hits come back wherever that many segments match.
"""

from collections.abc import Iterator

from django.conf import settings
from pgvector import HalfVector

from episodic.filters.implications import implied
from episodic.position import Position
from episodic.processing.deriving import MAX_DERIVATIVES
from episodic.rankers import Candidate
from episodic.recall.selection import Selection
from episodic.recall.timeline import Seed
from episodic.sql import dense as sql
from memmachine.errors import TenantNotFound
from memmachine.snapshot import reading
from tenants.models import Tenant

# The index is searched until this many rows for each one wanted were seen, whatever they are.
# Past it a filter keeps so little of what is near that the index cannot be trusted.
MAX_SEEN = 50


# The nearest rows that are looked at first for each segment wanted: several may be of one, but
# seldom all that a segment can have.
FIRST = 4


def wanted(limit: int) -> int:
    """How many rows the index has to give: more than `limit`, since it gives them in an order
    that is nearly right, and several may be of one segment."""
    return 4 * limit + 100


def opened(tenant: Tenant, *, limit: int) -> int | None:
    """Up to which derivative the tenant has a vector index, None where it has none; and the
    transaction made ready for a search. TenantNotFound where it is dead."""
    params = {
        "tenant": tenant.pk,
        "generation": tenant.generation,
        "wanted": wanted(limit),
        "reach": MAX_SEEN * wanted(limit),
    }
    with reading().cursor() as cursor:
        cursor.execute(sql.OPEN, params)
        row = cursor.fetchone()
    if row is None:
        raise TenantNotFound(f"The tenant {tenant.name!r} was deleted.")
    sealed: int | None = row[0]
    return sealed


def nearest(
    tenant: Tenant,
    sealed: int | None,
    vector: HalfVector,
    *,
    limit: int,
    min_similarity: float | None,
    selection: Selection,
) -> list[Candidate]:
    """The `limit` segments nearest to the cue among those selected, one a segment, in the
    transaction that was `opened`, with what that gave."""
    search = sql.Search(
        tenant_id=tenant.pk,
        generation=tenant.generation,
        cue=vector.to_text(),
        dimensions=vector.dimensions(),
        limit=limit,
        farthest=2 if min_similarity is None else 1 - min_similarity,
        selection=selection,
    )
    for way in _ways(search, sealed):
        for rows in (FIRST * limit, MAX_DERIVATIVES * limit):
            complete, enough, candidates = _go(search, way, rows)
            if complete and enough:
                return candidates
            if not complete:
                break
    return candidates


def _ways(search: sql.Search, sealed: int | None) -> Iterator[sql.Way]:
    """The ways to try, in turn. The last one is complete."""
    selection = search.selection
    exact = settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD
    if sealed is None:
        # All there is costs little: what is asked of an index must cost next to nothing.
        if selection.session_ids is not None:
            yield sql.within(search, bound=exact // 25)
        if properties := implied(selection.filter):
            yield sql.holding(search, properties, bound=exact // 25)
    else:
        if selection.is_within():
            # Where there is an expression, as many rows may have to be probed.
            yield sql.within(search, bound=exact if selection.filter is None else exact // 5)
        if properties := implied(selection.filter):
            yield sql.holding(search, properties, bound=exact // 10)
        seen = 1 if selection == Selection() else MAX_SEEN
        rows = wanted(search.limit)
        yield sql.indexed(search, sealed=sealed, wanted=rows, reach=seen * rows)
    yield sql.every(search)


def _go(search: sql.Search, way: sql.Way, rows: int) -> tuple[bool, bool, list[Candidate]]:
    statement, params = sql.nearest(search, way, rows=rows)
    with reading().cursor() as cursor:
        cursor.execute(statement, params)
        found = cursor.fetchall()
    complete, enough = found[0][:2]
    return (
        complete,
        enough,
        [
            Candidate(
                Seed(id, session_id, Position(timestamp, event_uuid, index, offset)),
                similarity=min(1.0, max(-1.0, 1 - distance)),
            )
            for _, _, id, session_id, timestamp, event_uuid, index, offset, distance in found
            if id is not None
        ],
    )
