"""The floor of an ingest: rows that are ready, written with the library's own statements."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import psycopg
from uuid_utils.compat import uuid7

from benchmarks.floor import recorded
from episodic.sql import writing as sql

# Which keys the columns of a COPY hold; each is another one whenever the rows are written.
KEYS = {
    "tenant_id": "tenant",
    "event_id": "event",
    "event_uuid": "event_uuid",
    "segment_id": "segment",
    "derivative_id": "derivative",
}
OWN_KEYS = {
    "episodic_event": {"id": "event", "uuid": "event_uuid"},
    "episodic_segment": {"id": "segment", "uuid": "segment_uuid"},
    "episodic_derivative": {"id": "derivative"},
}


class Table:
    """A COPY and its rows, and where in them which keys go."""

    def __init__(self, statement: str) -> None:
        self.statement = statement
        self.types: Sequence[str] = []
        self.rows: list[list[Any]] = []
        self.name = statement.split()[1]
        kinds = KEYS | OWN_KEYS.get(self.name, {})
        self.columns = [
            (place, kinds[column])
            for place, column in enumerate(re.findall(r'"(\w+)"', statement))
            if column in kinds
        ]
        self.ordinals: list[list[int]] = []

    def remember(self, known: dict[str, dict[Any, int]]) -> None:
        """Which key of its kind each row holds: the first, the second."""
        for row in self.rows:
            self.ordinals.append(
                [
                    known.setdefault(kind, {}).setdefault(row[place], len(known[kind]))
                    for place, kind in self.columns
                ]
            )

    def write(self, cursor: psycopg.Cursor[Any], keys: dict[str, Sequence[Any]]) -> None:
        columns = [(place, keys[kind]) for place, kind in self.columns]
        with cursor.copy(self.statement.encode()) as copy:
            copy.set_types(self.types)
            for row, ordinals in zip(self.rows, self.ordinals, strict=True):
                for (place, values), ordinal in zip(columns, ordinals, strict=True):
                    row[place] = values[ordinal]
                copy.write_row(row)


class Rows:
    """All that a batch becomes. One thread at a time writes them."""

    def __init__(self, memory: Any, batch: Sequence[Any]) -> None:
        """Store the batch into a tenant that is there for this, and keep what was written."""
        with _copies() as self._tables:
            statements = recorded(lambda: memory.encode(batch))
        self._counts = dict(statements)[sql.ALLOCATE_IDS]
        known: dict[str, dict[Any, int]] = {}
        for table in self._tables:
            table.remember(known)

    def write(self, connection: psycopg.Connection[Any], tenant: int) -> None:
        """Write them as events that are new, in one transaction."""
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute(sql.ALLOCATE_IDS, self._counts)
            ((events, segments, derivatives),) = cursor.fetchall()
            keys: dict[str, Sequence[Any]] = {
                "tenant": [tenant],
                "event": events,
                "event_uuid": sorted(uuid4() for _ in events),
                "segment": segments,
                "segment_uuid": [uuid7() for _ in segments],
                "derivative": derivatives,
            }
            for table in self._tables:
                table.write(cursor, keys)


@contextmanager
def _copies() -> Iterator[list[Table]]:
    """The COPYs made inside, with every row as it was given to psycopg."""
    tables: list[Table] = []
    copy, set_types, write_row = psycopg.Cursor.copy, psycopg.Copy.set_types, psycopg.Copy.write_row

    def spy_copy(self: Any, statement: str, *args: Any, **options: Any) -> Any:
        tables.append(Table(statement))
        return copy(self, statement, *args, **options)

    def spy_types(self: Any, types: Sequence[str]) -> None:
        tables[-1].types = types
        set_types(self, types)

    def spy_row(self: Any, row: Sequence[Any]) -> None:
        tables[-1].rows.append(list(row))
        write_row(self, row)

    with (
        patch.object(psycopg.Cursor, "copy", spy_copy),
        patch.object(psycopg.Copy, "set_types", spy_types),
        patch.object(psycopg.Copy, "write_row", spy_row),
    ):
        yield tables
