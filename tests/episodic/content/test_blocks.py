"""Blocks as a client posts them: what each kind takes, and where a fault stands."""

import pytest

from tests.episodic.content.inputs import refusal, taken
from tests.factories import injected, text, thinking, tool_call, tool_result

REQUIRED = "This field is required."
NULL = "This field may not be null."
NAME = "at most 255 bytes of UTF-8"
MIB = 1024**2
TOO_LONG = f"at most {MIB} bytes of UTF-8 (MEMMACHINE_MAX_BLOCK_BYTES)"
KINDS = "one of text, thinking, tool_call, tool_result, injected is wanted"
SOURCES = "one of hook, skill, compaction, reminder, command, other is wanted"


def nested(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "block",
    [
        text("hello"),
        text(""),
        text("  a\r\n\u2028"),
        text("é" * (MIB // 2)),
        thinking(""),
        tool_call("é" * 127),
        tool_call(b=1.0, a=[None, {"é": True}]),
        {"kind": "tool_call", "name": "Bash", "input": nested(64)},
        tool_result("", error=True),
        *[injected("", source) for source in ("hook", "skill", "compaction")],
        *[injected("x", source) for source in ("reminder", "command", "other")],
    ],
)
def test_a_block_is_kept_as_it_came(block):
    (kept,) = taken(blocks=[block]).blocks
    assert kept == block
    assert repr(kept.get("input")) == repr(block.get("input"))


def test_a_result_is_no_failure_unless_it_says_so():
    (block,) = taken(blocks=[{"kind": "tool_result", "name": "Bash", "output": "x"}]).blocks
    assert block["error"] is False


def test_an_unknown_field_of_a_block_is_ignored():
    assert taken(blocks=[{**text("x"), "source": 5, "more": []}]).blocks == [text("x")]


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ("text", ": a block (an object with a kind) is wanted"),
        (None, ": This field may not be null."),
        ({}, f".kind: {KINDS}"),
        ({"text": "x"}, f".kind: {KINDS}"),
        ({"kind": "Text", "text": "x"}, f".kind: {KINDS}"),
        ({"kind": ["text"], "text": "x"}, f".kind: {KINDS}"),
        ({"kind": "text"}, f".text: {REQUIRED}"),
        ({"kind": "text", "text": None}, f".text: {NULL}"),
        ({"kind": "text", "text": 5}, ".text: a text is wanted"),
        (text("a" * (MIB + 1)), f".text: {TOO_LONG}"),
        (text("é" * (MIB // 2) + "a"), f".text: {TOO_LONG}"),
        (thinking("a" * (MIB + 1)), f".text: {TOO_LONG}"),
        ({"kind": "thinking"}, f".text: {REQUIRED}"),
        ({"kind": "tool_call", "input": {}}, f".name: {REQUIRED}"),
        ({"kind": "tool_call", "name": "Bash"}, f".input: {REQUIRED}"),
        (tool_call(""), ".name: a text that is not empty is wanted"),
        (tool_call("é" * 128), f".name: {NAME}"),
        ({"kind": "tool_call", "name": "B", "input": []}, ".input: a JSON object is wanted"),
        ({"kind": "tool_call", "name": "B", "input": "{}"}, ".input: a JSON object is wanted"),
        (
            {"kind": "tool_call", "name": "B", "input": nested(65)},
            ".input: at most 64 levels of nested JSON (MEMMACHINE_MAX_JSON_DEPTH)",
        ),
        (
            tool_call(a="a" * MIB),
            f".input: at most {MIB} bytes of JSON (MEMMACHINE_MAX_BLOCK_BYTES)",
        ),
        ({"kind": "tool_result", "name": "B"}, f".output: {REQUIRED}"),
        (tool_result("a" * (MIB + 1)), f".output: {TOO_LONG}"),
        ({**tool_result("x"), "output": {}}, ".output: a text is wanted"),
        ({**tool_result("x"), "error": "yes"}, ".error: true or false is wanted"),
        ({**tool_result("x"), "error": 1}, ".error: true or false is wanted"),
        ({**tool_result("x"), "error": None}, f".error: {NULL}"),
        ({"kind": "injected", "text": "x"}, f".source: {REQUIRED}"),
        (injected("x", "Hook"), f".source: {SOURCES}"),
        (injected("x", ""), f".source: {SOURCES}"),
        ({**injected("x"), "source": 1}, f".source: {SOURCES}"),
    ],
)
def test_a_fault_is_named_where_it_stands(block, fault):
    assert refusal(blocks=[text("x"), block]) == f"blocks.1{fault}"


def test_every_fault_of_every_block_is_named():
    assert refusal(blocks=[{"kind": "tool_call"}, text("x"), {"kind": "text"}]).split("; ") == [
        f"blocks.0.name: {REQUIRED}",
        f"blocks.0.input: {REQUIRED}",
        f"blocks.2.text: {REQUIRED}",
    ]


def test_an_event_may_have_no_blocks():
    assert taken(blocks=[]).blocks == []


def test_256_blocks_are_taken_and_257_refused():
    assert len(taken(blocks=[text("x")] * 256).blocks) == 256
    fault = refusal(blocks=[text("x")] * 257)
    assert fault == "blocks: at most 256 items (MEMMACHINE_MAX_EVENT_BLOCKS)"


@pytest.mark.parametrize("blocks", [{}, "x", 1, text("x")])
def test_what_is_no_array_of_blocks_is_refused(blocks):
    assert refusal(blocks=blocks) == "blocks: an array is wanted"
