"""Fills tenants with worlds, a process for each core, all tenants in turns."""

import multiprocessing
import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any

import django
from django.core.management import CommandError, call_command

from benchmarks.data import JsonObject, World
from benchmarks.floor import connect

if TYPE_CHECKING:
    from episodic.memory import EventMemory

BATCH = 1_000
TABLES = ("episodic_event", "episodic_segment", "episodic_derivative", "episodic_link")


def fill(worlds: Sequence[World], *, quiet: bool = False) -> None:
    """Make a tenant of every world; then do what autovacuum, and whoever runs the server, would.

    The tenants' rows lie among each other, as they do where many write.
    """
    from tenants.services import create_tenant

    for world in worlds:
        create_tenant(world.name)
    start = time.perf_counter()
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        os.cpu_count(), mp_context=spawned, initializer=django.setup
    ) as workers:
        for _ in workers.map(_store, *zip(*_in_turns(worlds), strict=True)):
            pass
    count = sum(world.events for world in worlds)
    seconds = time.perf_counter() - start
    settle()
    if not quiet:
        print(f"Loaded {count:,} events into {len(worlds)} tenants in {seconds:.0f} s.", flush=True)


def settle() -> None:
    """VACUUM ANALYZE, as autovacuum would have within a minute."""
    with connect() as connection:
        for table in TABLES:
            connection.execute(f"VACUUM (ANALYZE) {table}")


def command(name: str, *arguments: str) -> None:
    """Run a management command, quietly."""
    try:
        call_command(name, *arguments, verbosity=0, stdout=StringIO(), stderr=StringIO())
    except CommandError as error:
        raise SystemExit(f"manage.py {name}: {error}") from error


def _in_turns(worlds: Sequence[World]) -> Iterable[tuple[str, int, int, int]]:
    """The batches of all worlds, each world's spread evenly over the whole."""
    batches = [
        (start / world.events, (world.name, world.events, start, min(start + BATCH, world.events)))
        for world in worlds
        for start in range(0, world.events, BATCH)
    ]
    return [batch for _, batch in sorted(batches)]


def _store(name: str, events: int, start: int, stop: int) -> None:
    _memory(name).encode(new_events(World(name, events).batch(start, stop)))


@cache
def _memory(name: str) -> "EventMemory":
    from episodic.memory import EventMemory

    return EventMemory.open(name)


def new_events(batch: Sequence[JsonObject]) -> list[Any]:
    """A batch as the library takes it."""
    from episodic.content.events import NewEvent

    return [
        NewEvent(**event | {"timestamp": datetime.fromisoformat(event["timestamp"])})
        for event in batch
    ]
