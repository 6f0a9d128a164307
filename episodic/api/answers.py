"""What goes out over the v1 API.

The serializers describe the answers for the OpenAPI document, and tests hold the answers to it.
The answers themselves are put together by hand: DRF's fields would cost as much as the search.
"""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from episodic.content.blocks import BlockField
from episodic.content.context import ContextField
from episodic.content.properties import PropertiesField
from episodic.listing import HeldEvent, Page, Session
from episodic.memory import Expansion, Hit
from episodic.models import Segment

Answer = dict[str, Any]


class SegmentOutput(serializers.Serializer[Segment]):
    """A piece of one block of an event."""

    uuid = serializers.UUIDField(help_text="The segment: the handle to expand from.")
    event_uuid = serializers.UUIDField(help_text="The event that it is of.")
    index = serializers.IntegerField(help_text="The block's place in the event, from 0.")
    offset = serializers.IntegerField(help_text="The piece's ordinal in the block, from 0.")
    timestamp = serializers.DateTimeField(help_text="The event's time, in its own offset.")
    session_id = serializers.CharField(help_text="The event's session.")
    source_id = serializers.CharField(allow_null=True, help_text="The event's source.")
    context = ContextField(  # type: ignore[assignment]  # DRF takes fields off the class
        help_text="The event's context."
    )
    block = BlockField(help_text="The piece, a block of its kind.")
    properties = PropertiesField(help_text="The event's properties.")


class HitOutput(serializers.Serializer[Hit]):
    """A segment that matched, in its window."""

    score = serializers.FloatField(help_text="The ranker's score; the list falls in it.")
    seed = serializers.IntegerField(help_text="The place in `segments` of the one that matched.")
    segments = SegmentOutput(many=True, help_text="The window, in timeline order.")
    text = serializers.CharField(help_text="The window rendered, with its ids.")


class QueryOutput(serializers.Serializer[Any]):
    """What a query found."""

    hits = HitOutput(many=True, help_text="Best first; one hit a segment.")


class ExpandOutput(serializers.Serializer[Expansion]):
    """What stands around the anchor, which is never among it."""

    before = SegmentOutput(many=True, help_text="Before it, in timeline order.")
    after = SegmentOutput(many=True, help_text="After it, in timeline order.")
    before_text = serializers.CharField(help_text="`before` rendered; empty at the start.")
    after_text = serializers.CharField(help_text="`after` rendered; empty at the end.")


class EventOutput(serializers.Serializer[HeldEvent]):
    """An event under the names that it was posted with."""

    id = serializers.UUIDField(help_text="The event's uuid.")
    timestamp = serializers.DateTimeField(help_text="When it was, in its own offset.")
    session_id = serializers.CharField(help_text="The session whose timeline it is on.")
    source_id = serializers.CharField(allow_null=True, help_text="What wrote it.")
    context = ContextField(  # type: ignore[assignment]  # DRF takes fields off the class
        help_text="Its parts by kind."
    )
    blocks = serializers.ListField(child=BlockField(), help_text="What it is made of.")
    properties = PropertiesField(help_text="What filters read.")


class EventPageOutput(serializers.Serializer[Any]):
    """A page of events."""

    events = EventOutput(many=True, help_text="In timeline order.")
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page, if any.")


class SessionOutput(serializers.Serializer[Session]):
    """A session, as its events make it."""

    session_id = serializers.CharField(help_text="The session.")
    events = serializers.IntegerField(help_text="How many events it has.")
    first = serializers.DateTimeField(help_text="The time of its first event, in UTC.")
    last = serializers.DateTimeField(help_text="The time of its last event, in UTC.")


class SessionPageOutput(serializers.Serializer[Any]):
    """A page of sessions."""

    sessions = SessionOutput(many=True, help_text="The one that was latest at work first.")
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page, if any.")


class StoredOutput(serializers.Serializer[Any]):
    """Which events were stored."""

    stored = serializers.ListField(
        child=serializers.UUIDField(), help_text="The events' uuids, in the order given."
    )


def of_hits(hits: Sequence[Hit]) -> Answer:
    return {
        "hits": [
            {
                "score": hit.score,
                "seed": hit.seed,
                "segments": [of_segment(segment) for segment in hit.segments],
                "text": hit.text,
            }
            for hit in hits
        ]
    }


def of_expansion(expansion: Expansion) -> Answer:
    return {
        "before": [of_segment(segment) for segment in expansion.before],
        "after": [of_segment(segment) for segment in expansion.after],
        "before_text": expansion.before_text,
        "after_text": expansion.after_text,
    }


def of_segment(segment: Segment) -> Answer:
    return {
        "uuid": str(segment.uuid),
        "event_uuid": str(segment.event_uuid),
        "index": segment.index,
        "offset": segment.offset,
        "timestamp": segment.moment.isoformat(),
        "session_id": segment.session_id,
        "source_id": segment.source_id,
        "context": segment.context,
        "block": segment.block,
        "properties": segment.properties,
    }


def of_events(page: Page[HeldEvent]) -> Answer:
    return {"events": [of_event(held) for held in page.items], "next": page.next}


def of_event(held: HeldEvent) -> Answer:
    event = held.event
    return {
        "id": str(event.uuid),
        "timestamp": event.moment.isoformat(),
        "session_id": event.session_id,
        "source_id": event.source_id,
        "context": event.context,
        "blocks": held.blocks,
        "properties": event.properties,
    }


def of_sessions(page: Page[Session]) -> Answer:
    sessions = [
        {
            "session_id": session.session_id,
            "events": session.events,
            "first": session.first.isoformat(),
            "last": session.last.isoformat(),
        }
        for session in page.items
    ]
    return {"sessions": sessions, "next": page.next}
