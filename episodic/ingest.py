"""From events to rows: everything is made first, then stored in one transaction."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg.types.json import Json, Jsonb
from uuid_utils.compat import uuid7

from episodic.content.blocks import Block
from episodic.content.events import NewEvent
from episodic.content.properties import to_jsonb
from episodic.embedders import Embedder
from episodic.embedders.base import Vectors
from episodic.eviction import Place, evict
from episodic.position import utc
from episodic.processing.deriving import Span, spans_of
from episodic.processing.segmenting import pieces_of
from episodic.rendering.lines import embedded_text
from episodic.sql import writing as sql
from memmachine.errors import EventExists, InvalidRequest
from memmachine.texts import compact_json
from tenants.models import Tenant
from tenants.services import pin


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment to be, and where the words of its derivatives stand in its text."""

    event: NewEvent
    index: int
    offset: int
    block: Block
    spans: Sequence[Span]


class NewDerivative(NamedTuple):
    """A derivative to be, with the key that it will have, and the segment's."""

    id: int
    segment_id: int
    piece: Piece
    span: Span
    vector: NDArray[np.float32]


def store(tenant: Tenant, embedder: Embedder, events: Sequence[NewEvent]) -> list[UUID]:
    """Store a batch whole or not at all; the uuids in the order given.

    Raises InvalidRequest when the batch names an id twice, EventExists with every id that the
    tenant holds, TenantNotFound when the tenant was deleted meanwhile.
    """
    _refuse_repeats(events)
    pieces = [piece for event in events for piece in _pieces_of(event)]
    texts = [
        embedded_text(piece.event.timestamp, piece.event.context, piece.block["text"][start:stop])
        for piece in pieces
        for start, stop in piece.spans
    ]
    vectors = embedder.embed(texts)
    with transaction.atomic():
        pin(tenant)
        if events:
            # An event's properties stand on it and on each of its pieces: written out once.
            properties = {event.id: to_jsonb(event.properties) for event in events}
            keys = _insert_events(tenant, events, properties)
            _copy_pieces(tenant, keys, properties, pieces, vectors)
    return [event.id for event in events]


def _refuse_repeats(events: Sequence[NewEvent]) -> None:
    places: dict[UUID, list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        places[event.id].append(place)
    faults = [
        f"{place}.id: the batch names {id} twice" for id, at in places.items() for place in at[1:]
    ]
    if faults:
        raise InvalidRequest("; ".join(faults))


def _pieces_of(event: NewEvent) -> list[Piece]:
    return [
        Piece(event, index, offset, block, spans_of(block))
        for index, whole in enumerate(event.blocks)
        for offset, block in enumerate(pieces_of(whole))
    ]


def _insert_events(
    tenant: Tenant, events: Sequence[NewEvent], properties: dict[UUID, str]
) -> dict[UUID, int]:
    """The events' keys by uuid; EventExists where the tenant holds any of them."""
    ordered = sorted(events, key=lambda event: event.id)
    params: dict[str, Any] = {
        "tenant": tenant.pk,
        "uuids": [event.id for event in ordered],
        "session_ids": [event.session_id for event in ordered],
        "timestamps": [utc(event.timestamp) for event in ordered],
        "utc_offsets": [_utc_offset(event) for event in ordered],
        "source_ids": [event.source_id for event in ordered],
        "contexts": [compact_json(event.context) for event in ordered],
        "properties": [properties[event.id] for event in ordered],
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.INSERT_EVENTS, params)
        keys = dict(cursor.fetchall())
    if held := [event.id for event in events if event.id not in keys]:
        raise EventExists(f"The tenant holds: {', '.join(map(str, held))}")
    return keys


def _utc_offset(event: NewEvent) -> int:
    offset = event.timestamp.utcoffset()
    if offset is None:
        raise ValueError("a NewEvent's timestamp has an offset")
    return int(offset.total_seconds())


def _copy_pieces(
    tenant: Tenant,
    keys: dict[UUID, int],
    properties: dict[UUID, str],
    pieces: Sequence[Piece],
    vectors: Vectors,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.ALLOCATE_IDS, {"segments": len(pieces), "derivatives": len(vectors)})
        segment_ids, derivative_ids = cursor.fetchone()
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
    _copy(
        sql.COPY_SEGMENTS,
        [
            (
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
                Jsonb(properties[event.id], str),
            )
            for id, piece in zip(segment_ids, pieces, strict=True)
            for event in [piece.event]
        ],
    )
    _copy(
        sql.COPY_DERIVATIVES,
        [
            (
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
            for new in derivatives
            for event in [new.piece.event]
        ],
    )
    _copy(
        sql.COPY_LINKS,
        [(new.id, tenant.pk, new.segment_id, new.span.start, new.span.stop) for new in derivatives],
    )


def _copy(target: sql.Copy, rows: Sequence[tuple[Any, ...]]) -> None:
    # Django does not wrap what a COPY raises.
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(target.statement) as copy,
    ):
        copy.set_types(target.types)
        for row in rows:
            copy.write_row(row)
