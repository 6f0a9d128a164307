"""The filters that queries are measured with, each with what it keeps in plain SQL."""

from dataclasses import dataclass, field
from typing import Any

from benchmarks.data import SHARES, World


@dataclass(frozen=True)
class Filter:
    """Fields of a query, and the same condition on `episodic_event` written by hand."""

    name: str
    body: dict[str, Any] = field(default_factory=dict)
    where: str = "TRUE"
    with_and_without_neighbours: bool = False


UNFILTERED = Filter("no filter", with_and_without_neighbours=True)


def filters(world: World) -> list[Filter]:
    """By property, with OR, by session and by time, each keeping every share."""
    return [kind for share in SHARES for kind in _of(world, share)]


def _of(world: World, share: str) -> list[Filter]:
    since = world.moment(world.events * 2 // 5)
    until = world.moment(world.events * 2 // 5 + world.size_of(share))
    session = f"long {share}"
    return [
        Filter(
            f"property {share}",
            {"filter": f"m.project = '{share}'"},
            f"properties ->> 'project' = '{share}'",
            with_and_without_neighbours=True,
        ),
        Filter(
            f"property OR {share}",
            {"filter": f"m.branch = '{share}' or m.stage = '{share}'"},
            f"properties ->> 'branch' = '{share}' OR properties ->> 'stage' = '{share}'",
        ),
        Filter(f"session {share}", {"session_ids": [session]}, f"session_id = '{session}'"),
        Filter(
            f"time {share}",
            {"since": since.isoformat(), "until": until.isoformat()},
            f"timestamp >= '{since}' AND timestamp < '{until}'",
        ),
    ]
