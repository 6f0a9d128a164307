"""An event's properties: which keys and values there are, and how they are written as jsonb."""

import json
import re
from decimal import Decimal
from math import isfinite
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memmachine.api.fields import at_most
from memmachine.texts import text_fault

Value = bool | int | float | str
Properties = dict[str, Value]

KEY = re.compile(r"[a-z0-9_]{1,32}")
RESERVED = "memmachine_"
MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1


def key_fault(key: str) -> str | None:
    """Why a text is no key of a property, or None."""
    if not KEY.fullmatch(key):
        return "a key of [a-z0-9_], 1 to 32 bytes, is wanted"
    if key.startswith(RESERVED):
        return f"keys that begin with {RESERVED} are reserved"
    return None


def value_fault(value: Any) -> str | None:
    """Why a JSON value is no value of a property, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return None if MIN_INTEGER <= value <= MAX_INTEGER else "an integer of 64 bits is wanted"
    if isinstance(value, float):
        return None if isfinite(value) else "a finite number is wanted"
    if isinstance(value, str):
        limit = settings.MEMMACHINE_MAX_PROPERTY_BYTES
        if fault := text_fault(value):
            return fault
        if len(value.encode()) > limit:
            return at_most(limit, "bytes of UTF-8", "MEMMACHINE_MAX_PROPERTY_BYTES")
        return None
    return "a boolean, an integer, a float or a text is wanted"


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {
            "oneOf": [{"type": "boolean"}, {"type": "number"}, {"type": "string"}]
        },
        "example": {"project": "ferryline", "tokens": 812, "urgent": True},
    }
)
class PropertiesField(serializers.Field[Properties, Any, Properties, Any]):
    """An object of booleans, 64-bit integers, finite floats and texts, by key."""

    def to_internal_value(self, data: Any) -> Properties:
        if not isinstance(data, dict):
            raise serializers.ValidationError("an object of properties is wanted")
        limit = settings.MEMMACHINE_MAX_EVENT_PROPERTIES
        if len(data) > limit:
            raise serializers.ValidationError(
                at_most(limit, "properties", "MEMMACHINE_MAX_EVENT_PROPERTIES")
            )
        faults = {
            key: [fault]
            for key, value in data.items()
            if (fault := key_fault(key) or value_fault(value))
        }
        if faults:
            raise serializers.ValidationError(faults)
        return data


def literal(value: Value) -> str:
    """A value as JSON in which an integer stays an integer and a float a float.

    jsonb keeps a number as a decimal with its scale, so `1.0` comes back as it was but `1e16`
    would come back as an integer. Whole floats are written out exactly, the others in their
    shortest form, so that the decimals compare with integers as the floats do.
    """
    if not isinstance(value, float):
        return json.dumps(value, ensure_ascii=False)
    return f"{int(value)}.0" if value.is_integer() else format(Decimal(repr(value)), "f")


def to_jsonb(properties: Properties) -> str:
    """All properties as the text of one jsonb value."""
    members = [f"{json.dumps(key)}:{literal(value)}" for key, value in properties.items()]
    return "{" + ",".join(members) + "}"
