"""What comes in over the v1 API, strictly."""

import re
from typing import Any

from django.conf import settings
from rest_framework import serializers

from episodic.content.blocks import KIND_CHOICES, BlockField
from episodic.content.context import ContextField, kind_fault
from episodic.content.events import NewEvent
from episodic.content.properties import PropertiesField
from episodic.filters.parsing import FilterError, parse
from episodic.filters.tree import Node
from episodic.memory import size_fault
from episodic.recall.selection import Selection
from episodic.rendering.timestamps import STYLES, DatetimeFormat, locale_fault, zone_fault
from memmachine.api.fields import (
    Choice,
    Identifier,
    Integer,
    Nothing,
    Number,
    Text,
    Timestamp,
    Uuid,
    at_most,
)
from memmachine.api.objects import JsonSerializer

MAX_HITS = 1_000
MAX_FORGOTTEN = 10_000
MAX_ITEMS = 10_000  # of an array that the contract sets no bound to


class Array(serializers.ListField):
    """An array of at most `most` items, or of as many as the setting named `bound` says.

    They are counted before they are looked at.
    """

    default_error_messages = {"not_a_list": "an array is wanted"}

    def __init__(self, *, most: int = MAX_ITEMS, bound: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most, self.bound = most, bound

    def to_internal_value(self, data: Any) -> list[Any]:
        most = getattr(settings, self.bound) if self.bound else self.most
        if isinstance(data, list) and len(data) > most:
            raise serializers.ValidationError(at_most(most, "items", self.bound))
        return super().to_internal_value(data)


class FilterField(Text):
    """A filter expression as its tree; a blank one filters nothing."""

    def to_internal_value(self, data: Any) -> Node | None:  # type: ignore[override]  # no text
        try:
            return parse(super().to_internal_value(data))
        except FilterError as error:
            raise serializers.ValidationError(str(error)) from None


class PartKind(Text):
    """The name of a context part."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if fault := kind_fault(name):
            raise serializers.ValidationError(fault)
        return name


class EventInput(JsonSerializer[Any]):
    """One entry for a session's timeline."""

    id = Uuid(allow_null=True, required=False, help_text="The client's dedupe key; null mints one.")
    timestamp = Timestamp(
        allow_null=True,
        required=False,
        help_text="When it was, ISO 8601 with an offset; null is the server's now in UTC.",
    )
    session_id = Identifier(help_text="Whose timeline it is on: 1 to 255 bytes.")
    source_id = Identifier(
        allow_null=True, required=False, help_text="What wrote it: 1 to 255 bytes."
    )
    context = ContextField(  # type: ignore[assignment]  # DRF takes fields off the class
        required=False,
        help_text="Parts by kind. `author` is known; any other is kept and given back unchanged.",
    )
    blocks = Array(
        child=BlockField(),
        bound="MEMMACHINE_MAX_EVENT_BLOCKS",
        help_text="What it is made of; may be empty.",
    )
    properties = PropertiesField(
        required=False,
        help_text="What filters read. Keys of [a-z0-9_], not beginning with `memmachine_`.",
    )

    def validate(self, attrs: dict[str, Any]) -> Any:
        return NewEvent(**{name: value for name, value in attrs.items() if value is not None})


class ForgetInput(JsonSerializer[Any]):
    """Which events to forget."""

    ids = Array(
        child=Uuid(),
        most=MAX_FORGOTTEN,
        help_text=f"Up to {MAX_FORGOTTEN:,} events' ids; repeats are allowed, and ids not held.",
    )


class PageInput(JsonSerializer[Any]):
    """The page of a listing, as query parameters."""

    limit = Integer(min_value=1, max_value=1000, default=100, help_text="How many; 1 to 1,000.")
    cursor = Text(required=False, help_text="The `next` of the answer before.")

    def to_internal_value(self, data: Any) -> Any:
        # What comes in a query string is text throughout.
        given: dict[str, Any] = {name: data[name] for name in map(str, self.fields) if name in data}
        if re.fullmatch(r"[+-]?[0-9]{1,9}", given.get("limit", "")):
            given["limit"] = int(given["limit"])
        return super().to_internal_value(given)


class ListEventsInput(PageInput):
    """Which events to list, as query parameters."""

    session_id = Identifier(required=False, help_text="Events of this session.")
    source_id = Identifier(required=False, help_text="Events of this source.")
    block_kind = Choice(
        choices=KIND_CHOICES, required=False, help_text="Events with a block of this kind."
    )
    since = Timestamp(required=False, help_text="Events at or after this time.")
    until = Timestamp(required=False, help_text="Events before this time.")
    filter = FilterField(
        required=False, empty=True, help_text="Events whose properties satisfy this expression."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        def one(name: str) -> list[Any] | None:
            return [attrs[name]] if name in attrs else None

        selection = Selection(
            session_ids=one("session_id"),
            source_ids=one("source_id"),
            block_kinds=one("block_kind"),
            since=attrs.get("since"),
            until=attrs.get("until"),
            filter=attrs.get("filter"),
        )
        return {
            "selection": selection,
            "limit": attrs["limit"],
            "cursor": attrs.get("cursor"),
        }


class DatetimeFormatInput(JsonSerializer[Any]):
    """How timestamps are written, as CLDR has it."""

    date_style = Choice(
        choices=STYLES, allow_null=True, default="full", help_text="The date's style; null: none."
    )
    time_style = Choice(
        choices=STYLES, allow_null=True, default="long", help_text="The time's style; null: none."
    )
    locale = Text(default="en_US", help_text="A CLDR locale, with `_` or `-`.")
    timezone = Text(
        allow_null=True,
        default=None,
        help_text="An IANA zone to convert to; null: the offset that the event came with.",
    )

    def validate_locale(self, locale: str) -> str:
        if fault := locale_fault(locale):
            raise serializers.ValidationError(fault)
        return locale

    def validate_timezone(self, timezone: str | None) -> str | None:
        if fault := zone_fault(timezone):
            raise serializers.ValidationError(fault)
        return timezone

    def validate(self, attrs: dict[str, Any]) -> Any:
        return DatetimeFormat(**attrs)


class RerankInput(JsonSerializer[Any]):
    """How the hits are ranked."""

    reranker = Nothing(
        wanted="null is wanted: the tenant names its ranker",
        help_text="Null: the tenant's. Naming one is refused.",
    )
    candidates = Integer(
        min_value=1,
        ceiling=MAX_HITS,
        allow_null=True,
        default=None,
        help_text="How many segments are ranked; at least `limit`.",
    )
    min_score = Number(
        allow_null=True, default=None, help_text="Hits with a lower score are dropped."
    )


class NeighboursInput(JsonSerializer[Any]):
    """What a query and an expansion share: which neighbours, and how they are written."""

    source_ids = Array(
        child=Text(empty=True),
        allow_null=True,
        default=None,
        help_text="Only segments of these sources; null keeps all, `[]` nothing.",
    )
    block_kinds = Array(
        child=Choice(choices=KIND_CHOICES),
        allow_null=True,
        default=None,
        help_text="Only segments of these kinds of block; null keeps all, `[]` nothing.",
    )
    since = Timestamp(
        allow_null=True, default=None, help_text="Only segments at or after this time."
    )
    until = Timestamp(allow_null=True, default=None, help_text="Only segments before this time.")
    filter = FilterField(
        allow_null=True,
        default=None,
        empty=True,
        help_text="Only segments of events whose properties satisfy this expression.",
    )
    datetime_format = DatetimeFormatInput(
        default=DatetimeFormat, help_text="How timestamps are written in the rendered text."
    )
    parts = Array(
        child=PartKind(),
        default=lambda: ["author"],
        help_text="The context parts in a line's header, in this order.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        chosen = ["session_ids", "source_ids", "block_kinds", "since", "until", "filter"]
        selection = Selection(**{name: attrs.pop(name) for name in chosen if name in attrs})
        return {**attrs, "selection": selection}


class QueryInput(NeighboursInput):
    """A cue, and which segments it may find."""

    query = Text(
        bound="MEMMACHINE_MAX_QUERY_BYTES",
        help_text="The cue: it describes the moment that is looked for.",
    )
    limit = Integer(
        min_value=1,
        ceiling=MAX_HITS,
        required=False,
        help_text="How many hits at most; the tenant's `query_limit` when omitted. Above 1,000"
        " counts as 1,000.",
    )
    min_cosine_similarity = Number(
        min_value=-1,
        max_value=1,
        allow_null=True,
        default=None,
        help_text="Segments less similar to the cue are not candidates.",
    )
    expand_context = Integer(
        min_value=0,
        required=False,
        help_text="Neighbours around each hit, a third of them before; the tenant's"
        " `expand_context` when omitted.",
    )
    session_ids = Array(
        child=Text(empty=True),
        allow_null=True,
        default=None,
        help_text="Only segments of these sessions; null keeps all, `[]` nothing.",
    )
    rerank = RerankInput(
        allow_null=True,
        default=dict,
        help_text="`{}`: by the tenant's ranker. Null: by plain cosine similarity.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        # Where a default of the tenant decides, the memory checks.
        fault = {"limit", "expand_context"} <= attrs.keys() and size_fault(
            attrs["limit"], attrs["expand_context"]
        )
        if fault:
            raise serializers.ValidationError({"limit": [fault]})
        rerank = attrs.pop("rerank")
        options = rerank or {}
        return {
            **super().validate(attrs),
            "ranked": rerank is not None,
            "candidates": options.get("candidates"),
            "min_score": options.get("min_score"),
        }


class ExpandInput(NeighboursInput):
    """A segment, and how far to walk on from it."""

    anchor = Uuid(help_text="The segment to walk on from.")
    before = Integer(
        min_value=0,
        required=False,
        help_text="How many segments before it; the tenant's `expand_before` when omitted.",
    )
    after = Integer(
        min_value=0,
        required=False,
        help_text="How many segments after it; the tenant's `expand_after` when omitted.",
    )
