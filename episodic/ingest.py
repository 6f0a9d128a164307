"""From events to rows: everything is made first, then stored in one transaction."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from psycopg.errors import UniqueViolation

from episodic.content.events import NewEvent
from episodic.embedders import Embedder
from episodic.processing.deriving import spans_of
from episodic.processing.segmenting import pieces_of
from episodic.rendering.lines import embedded_text
from episodic.rows import Piece, write
from episodic.sql import writing as sql
from memmachine.errors import EventExists, InvalidRequest
from tenants.models import Tenant
from tenants.services import pin

# The constraint that says that the tenant holds an event.
HELD = "event_uuid_per_tenant"
ATTEMPTS = 3


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
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                pin(tenant)
                if events:
                    write(tenant, events, pieces, vectors)
        except IntegrityError as error:
            if not _says_held(error):
                raise
            if held := _held(tenant, events):
                raise EventExists(f"The tenant holds: {', '.join(map(str, held))}") from None
            if attempt + 1 == ATTEMPTS:
                raise
            # What stood in the way was forgotten before it could be named.
        else:
            break
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


def _says_held(error: IntegrityError) -> bool:
    cause = error.__cause__
    return isinstance(cause, UniqueViolation) and cause.diag.constraint_name == HELD


def _held(tenant: Tenant, events: Sequence[NewEvent]) -> list[UUID]:
    """The ids of the batch that the tenant holds, in the batch's order."""
    uuids = [event.id for event in events]
    with transaction.atomic(), connection.cursor() as cursor:
        pin(tenant)
        cursor.execute(sql.HELD, {"tenant": tenant.pk, "uuids": uuids})
        held = {uuid for (uuid,) in cursor.fetchall()}
    return [uuid for uuid in uuids if uuid in held]
