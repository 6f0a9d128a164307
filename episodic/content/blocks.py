"""The kinds of block: for each its fields, their validation and how it is rendered.

A new kind is a class in this file. Without a handler in `processing` it is one segment, which
is on the timeline and is not searched.
"""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from memmachine.api.fields import Boolean, Choice, Identifier, JsonObject, Text
from memmachine.api.objects import JsonSerializer
from memmachine.texts import compact_json

# A validated block: `kind` and the fields of its kind, as stored and as answered.
Block = dict[str, Any]

INJECTED_SOURCES = ["hook", "skill", "compaction", "reminder", "command", "other"]


class BlockKind(JsonSerializer[Block]):
    """What every kind has; `@register` makes it known."""

    @staticmethod
    def text_of(block: Block) -> str:
        """What a reader sees of the block."""
        raise NotImplementedError


KINDS: dict[str, type[BlockKind]] = {}


def register(kind: type[BlockKind]) -> type[BlockKind]:
    """Make a kind known under the name that its field `kind` holds."""
    field: Any = kind._declared_fields["kind"]
    (name,) = field.choices
    KINDS[name] = kind
    return kind


def kind_field(kind: str) -> Choice:
    return Choice(choices=[kind], help_text="The kind of block.")


def content_field(help_text: str) -> Text:
    return Text(bound="MEMMACHINE_MAX_BLOCK_BYTES", empty=True, help_text=help_text)


@register
class TextBlock(BlockKind):
    """A message. Split into pieces of at most 500 characters, and found by a query."""

    kind = kind_field("text")
    text = content_field("The message, kept exactly.")

    @staticmethod
    def text_of(block: Block) -> str:
        text: str = block["text"]
        return text


@register
class ThinkingBlock(BlockKind):
    """A thought of the agent."""

    kind = kind_field("thinking")
    text = content_field("The thought.")

    @staticmethod
    def text_of(block: Block) -> str:
        return f"thinking: {block['text']}"


@register
class ToolCallBlock(BlockKind):
    """A call of a tool."""

    kind = kind_field("tool_call")
    name = Identifier(help_text="The tool's name.")
    input = JsonObject(
        bound="MEMMACHINE_MAX_BLOCK_BYTES",
        help_text="What the tool was called with; its keys keep their order.",
    )

    @staticmethod
    def text_of(block: Block) -> str:
        return f"tool_call {block['name']}: {compact_json(block['input'])}"


@register
class ToolResultBlock(BlockKind):
    """What a tool answered."""

    kind = kind_field("tool_result")
    name = Identifier(help_text="The tool's name.")
    output = content_field("What it answered.")
    error = Boolean(default=False, help_text="Whether the call failed.")

    @staticmethod
    def text_of(block: Block) -> str:
        mark = " [error]" if block["error"] else ""
        return f"tool_result {block['name']}{mark}: {block['output']}"


@register
class InjectedBlock(BlockKind):
    """A text that neither side of the conversation wrote."""

    kind = kind_field("injected")
    text = content_field("The text.")
    source = Choice(  # type: ignore[assignment]  # DRF takes fields off the class
        choices=INJECTED_SOURCES, help_text="What put it there."
    )

    @staticmethod
    def text_of(block: Block) -> str:
        return f"injected {block['source']}: {block['text']}"


KIND_CHOICES = list(KINDS)
# Validation keeps no state, so one instance a kind serves all requests.
VALIDATORS = {kind: serializer() for kind, serializer in KINDS.items()}


def text_of(block: Block) -> str:
    """What a reader sees of a block of any kind."""
    return KINDS[block["kind"]].text_of(block)


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="Block", serializers=dict(KINDS), resource_type_field_name="kind"
    )
)
class BlockField(serializers.Field[Block, Any, Block, Any]):
    """A block of any registered kind, told apart by `kind`."""

    def to_internal_value(self, data: Any) -> Block:
        if not isinstance(data, dict):
            raise serializers.ValidationError("a block (an object with a kind) is wanted")
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in VALIDATORS:
            raise serializers.ValidationError({"kind": [f"one of {', '.join(KINDS)} is wanted"]})
        block: Block = VALIDATORS[kind].run_validation(data)
        return block
