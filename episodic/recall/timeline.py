"""The walk along a tenant's timeline."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from episodic.models import Segment
from episodic.position import Position
from episodic.recall.selection import Selection
from episodic.sql import timeline as sql
from tenants.models import Tenant

# Context comes from at most this many segments nearest the seed on a side, kept or not.
REACH = 1_000


class Seed(NamedTuple):
    """A segment that a walk starts from."""

    segment_id: int
    session_id: str
    position: Position


@dataclass(frozen=True)
class Window:
    """A seed and the neighbours that a walk found on both sides, in timeline order."""

    before: list[Segment]
    seed: Segment
    after: list[Segment]

    @property
    def segments(self) -> list[Segment]:
        return [*self.before, self.seed, *self.after]


def walk(
    tenant: Tenant, seeds: Sequence[Seed], *, before: int, after: int, selection: Selection
) -> list[Window]:
    """The window of each seed: its nearest `before` and `after` neighbours within its session,
    all in one statement. The selection chooses neighbours, never the seed."""
    if not seeds:
        return []
    statement, params = sql.walk(
        tenant_id=tenant.pk,
        seeds=seeds,
        before=min(before, REACH),
        after=min(after, REACH),
        reach=REACH,
        selection=selection.of_neighbours(),
    )
    found: dict[tuple[int, int], list[Segment]] = defaultdict(list)
    segment: Any  # the statement's columns `ordinal` and `side` beside the model's
    for segment in Segment.objects.raw(statement, params):
        found[segment.ordinal, segment.side].append(segment)
    ordinals = range(1, len(seeds) + 1)
    return [Window(found[n, -1], found[n, 0][0], found[n, 1]) for n in ordinals]
