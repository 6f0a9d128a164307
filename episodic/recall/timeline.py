"""The walk along a tenant's timeline."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from episodic import sql
from episodic.models import Segment
from episodic.position import Position
from episodic.recall.selection import Selection
from tenants.models import Tenant

# Context comes from at most this many segments nearest the seed on a side, kept or not.
REACH = 1_000


class Seed(NamedTuple):
    """A segment that a walk starts from."""

    segment_id: int
    session_id: str
    position: Position


@dataclass
class Surroundings:
    """What a walk found on both sides of a seed, and the seed itself, in timeline order."""

    before: list[Segment] = field(default_factory=list)
    seed: list[Segment] = field(default_factory=list)
    after: list[Segment] = field(default_factory=list)

    @property
    def segments(self) -> list[Segment]:
        return [*self.before, *self.seed, *self.after]


def walk(
    tenant: Tenant, seeds: Sequence[Seed], *, before: int, after: int, selection: Selection
) -> list[Surroundings]:
    """The neighbours of each seed within its session, nearest `before` and `after`, in one
    statement. The selection chooses neighbours, never the seed."""
    found: dict[int, Surroundings] = defaultdict(Surroundings)
    statement, params = sql.walk(
        tenant_id=tenant.pk,
        seeds=seeds,
        before=min(before, REACH),
        after=min(after, REACH),
        reach=REACH,
        selection=selection.of_neighbours(),
    )
    if seeds:
        segment: Any  # the statement's columns `ordinal` and `side` beside the model's
        for segment in Segment.objects.raw(statement, params):
            sides = found[segment.ordinal - 1]
            (sides.before, sides.seed, sides.after)[segment.side + 1].append(segment)
    return [found[ordinal] for ordinal in range(len(seeds))]
