"""JSON objects as serializers that read no more of DRF than JSON needs."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.fields import SkipField, empty

T = TypeVar("T")


class JsonSerializer(serializers.Serializer[T]):
    """A serializer for input that came as JSON.

    DRF also looks for forms, nested sources and validators of whole objects: none is ours, and
    looking for them took a third of the time that a batch of events is validated in.
    """

    @cached_property
    def _members(self) -> list[tuple[str, Any]]:
        return [(name, field) for name, field in self.fields.items() if not field.read_only]

    def run_validation(self, data: Any = empty) -> Any:
        is_settled, data = self.validate_empty_values(data)
        return data if is_settled else self.validate(self.to_internal_value(data))

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)  # which refuses it
        values: dict[str, Any] = {}
        faults: dict[str, Any] = {}
        for name, field in self._members:
            try:
                values[name] = field.run_validation(data.get(name, empty))
            except serializers.ValidationError as error:
                faults[name] = error.detail
            except SkipField:
                pass
        if faults:
            raise serializers.ValidationError(faults)
        return values
