"""The parts of an event's context: which are known, their validation and how they are rendered.

A known part is a class in this file. Any other kind of part is kept, given back unchanged and
renders nothing.
"""

import re
from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memmachine.api.fields import Text, check_extent
from memmachine.api.objects import JsonSerializer

# Part kind → part, as posted, stored and answered.
Context = dict[str, dict[str, Any]]

PART_KIND = re.compile(r"[a-z0-9_]{1,32}")


def kind_fault(kind: str) -> str | None:
    """Why a text is no kind of a part, or None."""
    if PART_KIND.fullmatch(kind):
        return None
    return "a part kind of [a-z0-9_], at most 32 bytes, is wanted"


class ContextPart(JsonSerializer[Any]):
    """What every known part has."""

    @staticmethod
    def text_of(part: dict[str, Any]) -> str:
        """What stands of the part in a line's header."""
        raise NotImplementedError


class Author(ContextPart):
    """Who wrote the event."""

    name = Text(max_bytes=255, controls=False, help_text="The author's name.")

    @staticmethod
    def text_of(part: dict[str, Any]) -> str:
        name: str = part["name"]
        return name


PARTS: dict[str, type[ContextPart]] = {"author": Author}
VALIDATORS = {kind: serializer() for kind, serializer in PARTS.items()}


def part_texts(context: Context, parts: Iterable[str]) -> list[str]:
    """The texts of the named parts that the context has and that render, in the order named."""
    return [
        PARTS[kind].text_of(context[kind]) for kind in parts if kind in PARTS and kind in context
    ]


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            "author": {
                "type": "object",
                "description": "Who wrote the event.",
                "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 255}},
                "required": ["name"],
                "additionalProperties": True,
            }
        },
        "additionalProperties": {"type": "object", "additionalProperties": True},
        "example": {"author": {"name": "Alice"}},
    }
)
class ContextField(serializers.Field[Context, Any, Context, Any]):
    """An object of objects keyed by part kind, given back unchanged."""

    def to_internal_value(self, data: Any) -> Context:
        if not isinstance(data, dict):
            raise serializers.ValidationError("an object keyed by part kind is wanted")
        faults: dict[str, Any] = {}
        for kind, part in data.items():
            if fault := kind_fault(kind):
                faults[kind] = [fault]
            elif not isinstance(part, dict):
                faults[kind] = ["an object is wanted"]
            elif kind in VALIDATORS:
                try:
                    VALIDATORS[kind].run_validation(part)
                except serializers.ValidationError as error:
                    faults[kind] = error.detail
        if faults:
            raise serializers.ValidationError(faults)
        check_extent(data, "MEMMACHINE_MAX_CONTEXT_BYTES")
        return data
