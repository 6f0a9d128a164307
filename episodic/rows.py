"""A batch as rows, written by binary COPY inside the caller's transaction."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg.types.json import Json, Jsonb
from uuid_utils.compat import uuid7

from episodic.content.blocks import Block
from episodic.content.events import NewEvent
from episodic.content.properties import to_jsonb
from episodic.embedders.base import Vectors
from episodic.eviction import Place, evict
from episodic.processing.deriving import Span
from episodic.sql import writing as sql
from memmachine.texts import compact_json
from tenants.models import Tenant

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment to be, and where the words of its derivatives stand in its text."""

    event: NewEvent
    index: int
    offset: int
    block: Block
    spans: Sequence[Span]


class NewDerivative(NamedTuple):
    """A derivative to be, with the key that it will have, and its segment's."""

    id: int
    segment_id: int
    piece: Piece
    span: Span
    vector: NDArray[np.float32]


def write(
    tenant: Tenant, events: Sequence[NewEvent], pieces: Sequence[Piece], vectors: Vectors
) -> None:
    """Write the events and all that comes of them; a unique violation where one is held.

    Events go in by uuid, so that concurrent batches take their locks in one order.
    """
    with connection.cursor() as cursor:
        counts = {"events": len(events), "segments": len(pieces), "derivatives": len(vectors)}
        cursor.execute(sql.ALLOCATE_IDS, counts)
        event_ids, segment_ids, derivative_ids = cursor.fetchone()
    ordered = sorted(events, key=lambda event: event.id)
    keys = {event.id: id for event, id in zip(ordered, event_ids, strict=True)}
    # An event's properties stand on it and on each of its pieces: written out once.
    properties = {event.id: Jsonb(to_jsonb(event.properties), str) for event in events}
    _copy(sql.COPY_EVENTS, _event_rows(tenant, ordered, keys, properties))
    ids, rows = iter(derivative_ids), iter(vectors)
    derivatives = [
        NewDerivative(next(ids), segment_id, piece, span, next(rows))
        for segment_id, piece in zip(segment_ids, pieces, strict=True)
        for span in piece.spans
    ]
    if derivatives and (threshold := tenant.eviction_threshold) is not None:
        places = [
            Place(new.piece.event.timestamp, new.piece.event.id, new.id) for new in derivatives
        ]
        evicted = evict(tenant, threshold, places, vectors)
        derivatives = [new for new in derivatives if new.id not in evicted]
    _copy(sql.COPY_SEGMENTS, _segment_rows(tenant, segment_ids, pieces, keys, properties))
    _copy(sql.COPY_DERIVATIVES, _derivative_rows(tenant, derivatives, keys))
    _copy(
        sql.COPY_LINKS,
        ((new.id, tenant.pk, new.segment_id, new.span.start, new.span.stop) for new in derivatives),
    )


def _event_rows(
    tenant: Tenant,
    events: Iterable[NewEvent],
    keys: dict[UUID, int],
    properties: dict[UUID, Jsonb],
) -> Iterator[Row]:
    for event in events:
        yield (
            keys[event.id],
            tenant.pk,
            event.id,
            event.session_id,
            event.timestamp,
            _utc_offset(event),
            event.source_id,
            Json(event.context, compact_json),
            properties[event.id],
        )


def _utc_offset(event: NewEvent) -> int:
    offset = event.timestamp.utcoffset()
    if offset is None:
        raise ValueError("a NewEvent's timestamp has an offset")
    return int(offset.total_seconds())


def _segment_rows(
    tenant: Tenant,
    ids: Iterable[int],
    pieces: Iterable[Piece],
    keys: dict[UUID, int],
    properties: dict[UUID, Jsonb],
) -> Iterator[Row]:
    for id, piece in zip(ids, pieces, strict=True):
        event = piece.event
        yield (
            id,
            tenant.pk,
            uuid7(),
            keys[event.id],
            event.id,
            piece.index,
            piece.offset,
            event.session_id,
            event.timestamp,
            event.source_id,
            piece.block["kind"],
            Json(piece.block, compact_json),
            properties[event.id],
        )


def _derivative_rows(
    tenant: Tenant, derivatives: Iterable[NewDerivative], keys: dict[UUID, int]
) -> Iterator[Row]:
    for new in derivatives:
        event = new.piece.event
        yield (
            new.id,
            tenant.pk,
            keys[event.id],
            event.id,
            tenant.generation,
            event.session_id,
            event.timestamp,
            event.source_id,
            new.piece.block["kind"],
            HalfVector(new.vector).to_binary(),
        )


def _copy(target: sql.Copy, rows: Iterable[Row]) -> None:
    # Django does not wrap what a COPY raises.
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(target.statement) as copy,
    ):
        copy.set_types(target.types)
        for row in rows:
            copy.write_row(row)
