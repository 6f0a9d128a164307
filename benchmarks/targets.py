"""What the numbers should be, and what they are."""

from collections.abc import Iterator, Sequence

from benchmarks.report import Row, Target

QUERY_OVER_FLOOR = 2.5
GROWTH, LEAST, FULL = 2.0, 10_000, 1_000_000  # events
FILTERED, FILTERED_UP_TO = 3.0, 50_000  # derivatives
FILTERED_LARGE, FILTERED_LARGE_UP_TO = 10.0, 310_000  # derivatives
INGEST_RATE = 3_000.0  # events a second
INGEST_SHARE = 40.0  # % of the floor's rate
WALK = 25.0  # ms


def targets(rows: Sequence[Row]) -> list[Target]:
    """Every target that the rows can tell about; of several rows, the worst."""
    return [
        *_queries(rows),
        *_growth(rows),
        *_filtered(rows),
        *_ingest(rows),
        *_walk(rows),
    ]


def _queries(rows: Sequence[Row]) -> Iterator[Target]:
    for events in _scales(rows):
        for filtered in (False, True):
            asked = [
                row
                for row in rows
                if _is_query(row) and row.events == events and _is_filtered(row) == filtered
            ]
            if asked:
                row = max(asked, key=lambda row: row.ratio)
                yield Target(
                    f"query over its floor, {events:,} events, worst: {row.what}",
                    row.ratio,
                    QUERY_OVER_FLOOR,
                    where=row.where,
                )


def _growth(rows: Sequence[Row]) -> Iterator[Target]:
    for row in rows:
        if row.what.startswith("growth") and row.events == FULL:
            yield Target(f"{row.what}, from {LEAST:,} to {FULL:,} events", row.ratio, GROWTH)


def _filtered(rows: Sequence[Row]) -> Iterator[Target]:
    for events in _scales(rows):
        asked = [row for row in rows if row.events == events and row.over_unfiltered]
        if not asked:
            continue
        row = max(asked, key=lambda row: row.over_unfiltered or 0)
        derivatives = row.derivatives or 0
        if derivatives <= FILTERED_LARGE_UP_TO:
            yield Target(
                f"filtered over unfiltered, {derivatives:,} derivatives, worst: {row.what}",
                row.over_unfiltered or 0,
                FILTERED if derivatives <= FILTERED_UP_TO else FILTERED_LARGE,
                where=row.where,
            )


def _ingest(rows: Sequence[Row]) -> Iterator[Target]:
    for row in rows:
        if row.what == "ingest, 100 events" and row.rate and row.floor_rate:
            who = f"{row.clients} client{'s' * (row.clients > 1)}"
            yield Target(
                f"{row.what} a batch, {who}", row.rate, INGEST_RATE, False, "/s", row.where
            )
            share = row.rate / row.floor_rate * 100
            yield Target(
                f"{row.what} a batch, {who}, of the floor's rate",
                share,
                INGEST_SHARE,
                False,
                "%",
                row.where,
            )


def _walk(rows: Sequence[Row]) -> Iterator[Target]:
    walks = [row for row in rows if row.what.startswith("walk")]
    largest = max(_scales(walks), default=0)
    for row in walks:
        if row.events == largest:
            yield Target(
                f"{row.what}, {row.events:,} events, a filter that keeps nothing",
                row.ours,
                WALK,
                unit="ms",
                where=f"the bare statement takes {row.floor:.1f} ms of it",
            )


def _is_query(row: Row) -> bool:
    return row.neighbours is not None


def _is_filtered(row: Row) -> bool:
    return row.filter != "no filter"


def _scales(rows: Sequence[Row]) -> list[int]:
    return sorted({row.events for row in rows})
