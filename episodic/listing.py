"""Reading back: a tenant's events and sessions, page by page."""

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from episodic.content.blocks import Block
from episodic.models import Event, Segment
from episodic.position import utc
from episodic.processing.segmenting import whole
from episodic.recall.selection import Selection
from episodic.sql import listing as sql
from memmachine.errors import InvalidRequest, NotFound
from memmachine.snapshot import reading
from memmachine.texts import text_fault
from tenants.models import Tenant

Item = TypeVar("Item")
Key = TypeVar("Key")


@dataclass(frozen=True)
class HeldEvent:
    """A stored event with its blocks, put together from their pieces."""

    event: Event
    blocks: list[Block]


@dataclass(frozen=True)
class Session:
    """A session's id, how many events it has, and the times of its first and last."""

    session_id: str
    events: int
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Some of a listing, and the cursor that goes on from its end: None at the end of all."""

    items: list[Item]
    next: str | None


def events(
    tenant: Tenant, *, selection: Selection, limit: int, cursor: str | None = None
) -> Page[HeldEvent]:
    """Events in timeline order; of a block kind are those that have a block of it."""
    after = _decoded(cursor, UUID) if cursor is not None else None
    statement, params = sql.page_of_events(
        tenant_id=tenant.pk, selection=selection, after=after, limit=limit + 1
    )
    found = list(Event.objects.raw(statement, params))
    following = _following(found, limit, lambda last: (last.timestamp, last.uuid))
    return Page(with_blocks(tenant, found[:limit]), following)


def event(tenant: Tenant, uuid: UUID) -> HeldEvent:
    """The event of that uuid, or NotFound."""
    for found in Event.objects.raw(sql.EVENT, {"tenant": tenant.pk, "uuid": uuid}):
        return with_blocks(tenant, [found])[0]
    raise NotFound(f"The tenant holds no event {uuid}.")


def segment(tenant: Tenant, uuid: UUID) -> Segment | None:
    """The segment of that uuid."""
    return next(iter(Segment.objects.raw(sql.SEGMENT, {"tenant": tenant.pk, "uuid": uuid})), None)


def with_blocks(tenant: Tenant, found: Sequence[Event]) -> list[HeldEvent]:
    """The events with their blocks, in one statement."""
    pieces: dict[int, dict[int, list[Block]]] = defaultdict(lambda: defaultdict(list))
    params = {"tenant": tenant.pk, "events": [event.pk for event in found]}
    for segment in Segment.objects.raw(sql.PIECES, params):
        pieces[segment.event_id][segment.index].append(segment.block)
    return [HeldEvent(event, [whole(cut) for cut in pieces[event.pk].values()]) for event in found]


def sessions(tenant: Tenant, *, limit: int, cursor: str | None = None) -> Page[Session]:
    """Sessions, the one that was latest at work first."""
    after = _decoded(cursor, str) if cursor is not None else None
    statement, params = sql.page_of_sessions(tenant_id=tenant.pk, after=after, limit=limit + 1)
    with reading().cursor() as database:
        database.execute(statement, params)
        found = [Session(*row) for row in database.fetchall()]
    return Page(found[:limit], _following(found, limit, lambda last: (last.last, last.session_id)))


def _following(
    found: Sequence[Item], limit: int, place: Callable[[Item], tuple[datetime, object]]
) -> str | None:
    """The cursor of what comes after the first `limit`, if more were found."""
    if len(found) <= limit:
        return None
    moment, key = place(found[limit - 1])
    text = json.dumps([moment.isoformat(), str(key)])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(cursor: str, key: Callable[[str], Key]) -> tuple[datetime, Key]:
    """The place that a cursor stands for; InvalidRequest for a text that is no cursor of ours."""
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        moment, text = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if text_fault(text):
            raise ValueError(text)
        return utc(datetime.fromisoformat(moment)), key(text)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InvalidRequest("cursor: the `next` of an earlier answer is wanted") from None
