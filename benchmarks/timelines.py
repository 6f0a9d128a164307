"""What walking a timeline costs: an expansion, and the walk of a query in its worst case."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from benchmarks.data import World
from benchmarks.floor import Reader, Statement, connect, recorded
from benchmarks.measure import contest
from benchmarks.report import Report, Row
from benchmarks.server import Client, as_json

ANCHORS = 200
CLIENTS = (1, 4)
SEEDS = 20
NEIGHBOURS = 6
LONGEST = "long 20 %"  # the session in which a walk has the most to pass over


class Anchor(NamedTuple):
    uuid: UUID
    body: bytes
    statements: list[Statement]


class Walk:
    """The walk from some seeds, and its bare statement."""

    def __init__(self, tenant: Any, seeds: Any, before: int, after: int, selection: Any) -> None:
        from episodic.recall.timeline import walk

        self.walk = partial(walk, tenant, seeds, before=before, after=after, selection=selection)
        self.statements = recorded(self.walk)


def measure(report: Report, url: str, worlds: Sequence[World], seconds: float) -> None:
    report.section("Timeline")
    for world in worlds:
        for clients in CLIENTS:
            _measure_expand(report, url, world, clients, seconds)
        _measure_walk(report, world, seconds)


def _measure_expand(report: Report, url: str, world: World, clients: int, seconds: float) -> None:
    """`expand` with the tenant's defaults, five on either side, from segments all over."""
    from episodic.memory import EventMemory

    memory = EventMemory.open(world.name)

    def anchor(uuid: UUID) -> Anchor:
        statements = recorded(lambda: memory.expand(uuid))
        return Anchor(uuid, as_json({"anchor": str(uuid)}), statements)

    def ours(client: Client) -> Any:
        return lambda anchor: client.post("/episodic-memory/expand", anchor.body)

    def floor(reader: Reader) -> Any:
        return lambda anchor: reader(anchor.statements)

    sides = {
        "ours": [ours(Client(url, world.name)) for _ in range(clients)],
        "floor": [floor(Reader()) for _ in range(clients)],
    }
    if clients == 1:
        sides["library"] = [lambda anchor: memory.expand(anchor.uuid)]
    anchors = [anchor(uuid) for uuid, *_ in _segments(memory.tenant.pk, ANCHORS)]
    per_round = 1 if clients == 1 else 5
    times = contest(sides, anchors, seconds=seconds, per_round=per_round)
    rates = {"rate": times["ours"].rate, "floor_rate": times["floor"].rate}
    report.add(Row.of("expand, 5 and 5", world.events, times, clients=clients, **rates))


def _measure_walk(report: Report, world: World, seconds: float) -> None:
    """The walk of 20 hits with a filter that keeps no neighbour, so that each side is read as
    far as a walk reaches. Ours is the library's function: there is no HTTP in it."""
    from episodic.filters.tree import Comparison, Operator
    from episodic.memory import EventMemory, sides
    from episodic.position import Position
    from episodic.recall.selection import Selection
    from episodic.recall.timeline import Seed

    tenant = EventMemory.open(world.name).tenant
    before, after = sides(NEIGHBOURS)
    nothing = Selection(filter=Comparison("project", Operator.EQUAL, "nothing"))
    reader = Reader()
    for name, session in [("all over", None), ("one long session", LONGEST)]:
        segments = _segments(tenant.pk, SEEDS * 10, session)
        seeds = [Seed(key, within, Position(*at)) for _, key, within, *at in segments]
        walks = [Walk(tenant, seeds[i::10], before, after, nothing) for i in range(10)]
        times = contest(
            {"ours": [lambda walk: walk.walk()], "floor": [lambda walk: reader(walk.statements)]},
            walks * 5,
            seconds=seconds,
        )
        report.add(Row.of(f"walk, {name}", world.events, times, filter="nothing"))


def _segments(tenant: int, number: int, session: str | None = None) -> list[tuple[Any, ...]]:
    """Some of a tenant's segments: uuid, key, session and position."""
    statement = """
        SELECT uuid, id, session_id, timestamp, event_uuid, index, "offset"
          FROM episodic_segment
         WHERE tenant_id = %(tenant)s
           AND (%(session)s::text IS NULL OR session_id = %(session)s)
         ORDER BY md5(timestamp::text) LIMIT %(number)s
    """
    with connect() as connection:
        params = {"tenant": tenant, "session": session, "number": number}
        return connection.execute(statement, params).fetchall()
