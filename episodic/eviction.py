"""Near-duplicates: of many derivatives that say the same, the earliest and the latest stay.

An option of the tenant. A new derivative and those within the threshold of it are a cluster; one
of more than `target` loses those in the middle of its timeline. A batch decides what its
derivatives would, each ingested alone in the order given. Events and segments stay.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from django.db import connection
from pgvector import HalfVector

from episodic.embedders.base import Vectors, unit
from episodic.recall import dense
from episodic.sql import eviction as sql
from tenants.models import Tenant

Item = TypeVar("Item")

# Distances count to six places: two equal vectors are not quite at 0, and the database and numpy
# do not quite agree.
PLACES = 6


@dataclass(frozen=True, order=True)
class Place:
    """Where a derivative stands on the timeline: within an event its id says so."""

    timestamp: datetime
    event_uuid: UUID
    id: int


@dataclass(frozen=True, order=True)
class Near:
    """A derivative within the threshold of another."""

    distance: float
    place: Place


def evict(tenant: Tenant, threshold: float, places: Sequence[Place], vectors: Vectors) -> set[int]:
    """Remove the stored derivatives that the new ones displace; the ids of those new ones that
    are not to be stored.

    Runs inside the transaction that stores them. Batches of a tenant that evicts wait here for
    each other, so that each sees what the one before decided.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql.ALONE, {"tenant": tenant.pk})
    farthest = 1 - threshold + 10**-PLACES
    gone: set[int] = set()
    for place, stored, new in zip(
        places,
        _near_stored(tenant, farthest, vectors),
        _near_in_batch(places, farthest, vectors),
        strict=True,
    ):
        near = sorted(each for each in [*stored, *new] if each.place.id not in gone)
        found = [each.place for each in near[: tenant.eviction_search_limit]]
        gone |= {each.id for each in middle(sorted([*found, place]), tenant.eviction_target)}
    ours = {place.id for place in places}
    with connection.cursor() as cursor:
        cursor.execute(sql.EVICT, {"tenant": tenant.pk, "ids": sorted(gone - ours)})
    return gone & ours


def middle(cluster: Sequence[Item], target: int) -> Sequence[Item]:
    """What a cluster in timeline order loses: all but the earliest `target // 2` and the latest
    others."""
    earliest = target // 2
    latest = len(cluster) - (target - earliest)
    return cluster[earliest : max(earliest, latest)]


def _near_in_batch(
    places: Sequence[Place], farthest: float, vectors: Vectors
) -> Iterator[list[Near]]:
    """For each new derivative, those before it in the batch that are near."""
    kept = unit(vectors.astype(np.float16).astype(np.float32))  # as they will be stored
    for row, vector in enumerate(kept):
        distances = 1 - kept[:row] @ vector
        near = np.flatnonzero(distances <= farthest).tolist()
        yield [Near(round(float(distances[at]), PLACES), places[at]) for at in near]


def _near_stored(tenant: Tenant, farthest: float, vectors: Vectors) -> list[list[Near]]:
    """For each new derivative, the stored ones that are near, out of one search.

    The n-th gets n times what it asks for, since those before it may have evicted as many.
    """
    sealed = dense.opened(tenant, limit=tenant.eviction_search_limit)
    statement = sql.stored_near(
        tenant_id=tenant.pk,
        generation=tenant.generation,
        dimensions=vectors.shape[1],
        sealed=sealed,
    )
    params: dict[str, Any] = {
        "tenant": tenant.pk,
        "generation": tenant.generation,
        "vectors": [HalfVector(vector).to_text() for vector in vectors],
        "limit": tenant.eviction_search_limit,
        "farthest": farthest,
    }
    found: list[list[Near]] = [[] for _ in vectors]
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        for number, distance, *place in cursor.fetchall():
            found[number - 1].append(Near(round(distance, PLACES), Place(*place)))
    return found
