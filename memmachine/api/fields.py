"""Strict fields.

DRF's stock fields are lenient: a number passes for a text, texts are trimmed, `"yes"` is a
boolean, a naive time is taken and an offset lost. These take what the contract names and
nothing else; the stock class above each tells drf-spectacular how to describe it.
"""

import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.validators import MaxLengthValidator, MinLengthValidator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memmachine.texts import compact_json, has_controls, text_fault

# The ISO 8601 forms of a date with a time; datetime.fromisoformat alone takes any separator.
ISO_8601 = re.compile(r"[0-9W-]+[Tt ][0-9:.,]+([Zz]|[+-][0-9:]+)?")


class Text(serializers.CharField):
    """A text, kept as it came. `bound` names the setting that holds its greatest size in bytes."""

    def __init__(
        self,
        *,
        max_bytes: int | None = None,
        bound: str | None = None,
        empty: bool = False,
        controls: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(allow_blank=empty, trim_whitespace=False, **kwargs)
        # The pass below says all; these are what the OpenAPI document can say of it.
        self.validators = [] if empty else [MinLengthValidator(1)]
        if max_bytes is not None:
            self.validators.append(MaxLengthValidator(max_bytes))
        self.max_bytes, self.bound, self.empty, self.controls = max_bytes, bound, empty, controls

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return serializers.Field.run_validation(self, data)  # CharField's lets "" pass unread

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("a text is wanted")
        if fault := text_fault(data):
            raise serializers.ValidationError(fault)
        if not data and not self.empty:
            raise serializers.ValidationError("a text that is not empty is wanted")
        limit = getattr(settings, self.bound) if self.bound else self.max_bytes
        # No code point takes more than four bytes: most texts need not be encoded to be measured.
        if limit is not None and len(data) * 4 > limit and len(data.encode()) > limit:
            raise serializers.ValidationError(at_most(limit, "bytes of UTF-8", self.bound))
        if not self.controls and has_controls(data):
            raise serializers.ValidationError("a text without control characters is wanted")
        return data


class Identifier(Text):
    """A session's, a source's or a tool's name: 1 to 255 bytes."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_bytes=255, **kwargs)


class Choice(serializers.ChoiceField):
    """One of a closed set of texts."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"one of {', '.join(self.choices)} is wanted")
        return data


class Integer(serializers.IntegerField):
    """A whole number; `ceiling` is what a greater one counts as."""

    def __init__(self, *, ceiling: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators, self.ceiling = [], ceiling

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            raise serializers.ValidationError("an integer is wanted")
        if self.min_value is not None and data < self.min_value:
            raise serializers.ValidationError(f"an integer of at least {self.min_value} is wanted")
        if self.ceiling is not None:
            return min(data, self.ceiling)
        if self.max_value is not None and data > self.max_value:
            raise serializers.ValidationError(f"an integer of at most {self.max_value} is wanted")
        return data


class Number(serializers.FloatField):
    """An integer or a float, within its bounds."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators = []

    def to_internal_value(self, data: Any) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            raise serializers.ValidationError("a number is wanted")
        low, high = self.min_value, self.max_value
        if (low is not None and data < low) or (high is not None and data > high):
            raise serializers.ValidationError(f"a number from {low} to {high} is wanted")
        try:
            return float(data)
        except OverflowError:
            raise serializers.ValidationError("a finite number is wanted") from None


class Boolean(serializers.BooleanField):
    """`true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("true or false is wanted")
        return data


class Uuid(serializers.UUIDField):
    """A uuid as a text, with or without hyphens."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if isinstance(data, str) and re.fullmatch(r"[0-9a-fA-F-]{32,36}", data):
            try:
                return uuid.UUID(data)
            except ValueError:
                pass
        raise serializers.ValidationError("a uuid is wanted")


class Timestamp(serializers.DateTimeField):
    """ISO 8601 with an offset, which is kept; to the microsecond, in the years 1 to 9999 of UTC."""

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str) or not ISO_8601.fullmatch(data):
            raise serializers.ValidationError("an ISO 8601 time with an offset is wanted")
        try:
            value = datetime.fromisoformat(data.upper())
        except ValueError as error:
            raise serializers.ValidationError(f"an ISO 8601 time is wanted: {error}") from error
        offset = value.utcoffset()
        if offset is None:
            raise serializers.ValidationError("a time with an offset is wanted")
        if offset % timedelta(seconds=1):
            raise serializers.ValidationError("an offset of whole seconds is wanted")
        try:
            value.astimezone(UTC)
        except OverflowError:
            raise serializers.ValidationError(
                "an instant in the years 1 to 9999 is wanted"
            ) from None
        return value


@extend_schema_field({"const": None})
class Nothing(serializers.Field[None, Any, None, Any]):
    """Null, or left out; `wanted` is said to anything else."""

    def __init__(self, *, wanted: str, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.wanted = wanted

    def run_validation(self, data: Any = serializers.empty) -> None:
        if data is not None and data is not serializers.empty:
            raise serializers.ValidationError(self.wanted)


@extend_schema_field(OpenApiTypes.OBJECT)
class JsonObject(serializers.Field[Any, Any, Any, Any]):
    """A JSON object of bounded nesting and size, kept as it came."""

    def __init__(self, *, bound: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bound = bound

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("a JSON object is wanted")
        check_extent(data, self.bound)
        return data


def check_extent(value: Any, bound: str) -> None:
    """ValidationError where a JSON value is nested past `MEMMACHINE_MAX_JSON_DEPTH`, or larger
    than the setting `bound` allows."""
    _check_depth(value)
    limit = getattr(settings, bound)
    if len(compact_json(value).encode()) > limit:
        raise serializers.ValidationError(at_most(limit, "bytes of JSON", bound))


def _check_depth(value: Any) -> None:
    bound = settings.MEMMACHINE_MAX_JSON_DEPTH
    level, depth = [value], 0
    while level := [node for node in level if isinstance(node, dict | list)]:
        depth += 1
        if depth > bound:
            raise serializers.ValidationError(
                at_most(bound, "levels of nested JSON", "MEMMACHINE_MAX_JSON_DEPTH")
            )
        level = [
            child for node in level for child in (node.values() if isinstance(node, dict) else node)
        ]


def at_most(limit: int, unit: str, setting: str | None = None) -> str:
    """How a bound is named to whoever passes it."""
    return f"at most {limit} {unit}" + (f" ({setting})" if setting else "")
