"""What it costs to reclaim the rows of deleted tenants."""

from functools import partial
from statistics import median
from typing import Any

from benchmarks.data import World
from benchmarks.floor import connect
from benchmarks.load import command, fill, settle
from benchmarks.measure import once, together
from benchmarks.report import Report, Row
from benchmarks.server import Client

ROUNDS = 3
CLIENTS = (1, 4)

# A batch goes on from the key where the last one ended, past what is dead already.
DELETE = """
    WITH batch AS (
        SELECT id FROM episodic_event
         WHERE tenant_id = %(tenant)s AND id > %(after)s ORDER BY id LIMIT 1000
    ), deleted AS (
        DELETE FROM episodic_event WHERE id IN (SELECT id FROM batch)
    )
    SELECT max(id) FROM batch
"""


def measure(report: Report, url: str, events: int) -> None:
    """The rows of tenants that were deleted, against batches of DELETE as bare statements;
    from 4 clients, 4 commands and 4 tenants at once."""
    report.section(f"Purge, tenants of {events:,} events; rows a second")
    for clients in CLIENTS:
        _measure(report, url, events, clients)


def _measure(report: Report, url: str, events: int, clients: int) -> None:
    ours: list[float] = []  # seconds
    floor: list[float] = []
    doomed, others = (
        [[f"{side}-{clients}-{number}-{i}" for i in range(clients)] for number in range(ROUNDS)]
        for side in ("purge", "purge-floor")
    )
    fill([World(name, events) for names in (*doomed, *others) for name in names], quiet=True)
    rows = _rows(doomed[0])
    for number, (names, other) in enumerate(zip(doomed, others, strict=True)):
        purge = partial(together, [partial(_purge, _key(name)) for name in names])
        bare = partial(together, [partial(_bare, _key(name)) for name in other])
        for name in names:
            Client(url, name).delete()
        for times, side in [(ours, purge), (floor, bare)][:: -1 if number % 2 else 1]:
            times.append(once(side))
        settle()
    report.add(
        Row(
            "purge",
            events,
            median(ours) * 1_000,
            median(floor) * 1_000,
            clients=clients,
            rate=rows / median(ours),
            floor_rate=rows / median(floor),
        )
    )


def _purge(tenant: int) -> None:
    from django.db import connection

    command("purge_tenants", "--tenant", str(tenant))
    connection.close()  # of this thread, which ends


def _bare(tenant: int) -> None:
    after: int | None = 0
    with connect() as connection:
        while after is not None:
            row = connection.execute(DELETE, {"tenant": tenant, "after": after}).fetchone()
            after = row[0] if row else None


def _key(name: str) -> int:
    from tenants.models import Tenant

    return Tenant.objects.named(name).pk


def _rows(names: list[str]) -> int:
    """Events, segments, derivatives and links of some tenants."""
    from episodic.models import Derivative, Event, Link, Segment

    models: list[Any] = [Event, Segment, Derivative, Link]
    return sum(model.objects.filter(tenant__name__in=names).count() for model in models)
