"""What storing a batch costs."""

from typing import Any, NamedTuple

from benchmarks.data import World
from benchmarks.floor import connect
from benchmarks.load import new_events
from benchmarks.measure import contest
from benchmarks.report import Report, Row
from benchmarks.server import Client, as_json
from benchmarks.writer import Rows

SIZES = (1, 20, 100)
CLIENTS = (1, 4)
BATCHES = 24  # different ones of each size, for both sides in turns


class Batch(NamedTuple):
    """The same events as a body, as the library takes them, and as rows."""

    body: bytes
    events: list[Any]
    rows: list[Rows]  # a copy for each client, for writing changes them


def measure(report: Report, url: str, scale: int, seconds: float) -> None:
    """Batches of 1, 20 and 100 events, from 1 and from 4 clients, into new tenants.

    Each side and each of the library's calls has a tenant of its own, so that all of them grow
    alike, beside whatever else the tables hold.
    """
    report.section("Ingest, a batch; events a second")
    for size in SIZES:
        batches = _batches(size, max(CLIENTS))
        for clients in CLIENTS:
            _measure(report, url, scale, seconds, size, clients, batches)


def _batches(size: int, copies: int) -> list[Batch]:
    from episodic.memory import EventMemory
    from tenants.services import create_tenant

    scratch = EventMemory(create_tenant("ingest scratch")[0])
    world = World("ingest", size * BATCHES * 10)
    batches = []
    for start in range(0, BATCHES * size, size):
        batch = world.batch(start, start + size)
        rows = [Rows(scratch, new_events(batch)) for _ in range(copies)]
        batches.append(Batch(as_json(batch), new_events(batch), rows))
    return batches


def _measure(
    report: Report,
    url: str,
    scale: int,
    seconds: float,
    size: int,
    clients: int,
    batches: list[Batch],
) -> None:
    from dataclasses import replace
    from uuid import uuid4

    from episodic.memory import EventMemory
    from tenants.services import create_tenant

    name = f"ingest-{size}-{clients}"
    Client(url, name).create()
    bare = create_tenant(f"{name}-floor")[0].pk
    memory = EventMemory(create_tenant(f"{name}-library")[0])

    def ours() -> Any:
        client = Client(url, name)
        return lambda batch: client.post("/events", batch.body)

    def floor(number: int) -> Any:
        connection = connect()
        return lambda batch: batch.rows[number].write(connection, bare)

    def library(batch: Batch) -> None:
        memory.encode([replace(event, id=uuid4()) for event in batch.events])

    sides = {
        "ours": [ours() for _ in range(clients)],
        "floor": [floor(number) for number in range(clients)],
    }
    if clients == 1:
        sides["library"] = [library]
    per_round = 1 if clients == 1 else 3
    times = contest(sides, batches * 100, seconds=seconds, per_round=per_round)
    rates = {"rate": size * times["ours"].rate, "floor_rate": size * times["floor"].rate}
    report.add(Row.of(f"ingest, {size} events", scale, times, clients=clients, **rates))
