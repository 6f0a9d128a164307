"""An event's context as a client posts it: the author, and parts that nobody knows."""

import pytest

from tests.episodic.content.inputs import refusal, taken

KIND = "a part kind of [a-z0-9_], at most 32 bytes, is wanted"
NAME = "at most 255 bytes of UTF-8"
CONTROLS = "a text without control characters is wanted"


def nested(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"author": {"name": "Alice"}},
        {"author": {"name": " Alice "}},
        {"author": {"name": "é" * 127}},
        {"author": {"name": "Alice", "age": 5, "more": {"b": [1.0, None], "a": True}}},
        {"workspace": {}},
        {"0_a": {"z": "", "a": [{}]}, "a" * 32: {"name": 5}},
        nested(64),
    ],
)
def test_a_context_is_kept_unchanged(context):
    assert repr(taken(context=context).context) == repr(context)


def test_an_event_without_a_context_has_an_empty_one():
    assert taken().context == {}


@pytest.mark.parametrize(
    ("context", "fault"),
    [
        ([], ": an object keyed by part kind is wanted"),
        ("Alice", ": an object keyed by part kind is wanted"),
        (None, ": This field may not be null."),
        ({"": {}}, f": {KIND}"),
        ({"Author": {}}, f".Author: {KIND}"),
        ({"a b": {}}, f".a b: {KIND}"),
        ({"a\n": {}}, f".a\n: {KIND}"),
        ({"a" * 33: {}}, f".{'a' * 33}: {KIND}"),
        ({"author": "Alice"}, ".author: an object is wanted"),
        ({"author": None}, ".author: an object is wanted"),
        ({"workspace": []}, ".workspace: an object is wanted"),
        ({"author": {}}, ".author.name: This field is required."),
        ({"author": {"name": None}}, ".author.name: This field may not be null."),
        ({"author": {"name": 5}}, ".author.name: a text is wanted"),
        ({"author": {"name": ""}}, ".author.name: a text that is not empty is wanted"),
        ({"author": {"name": "é" * 128}}, f".author.name: {NAME}"),
        ({"author": {"name": "a\nb"}}, f".author.name: {CONTROLS}"),
        ({"author": {"name": "a\x7fb"}}, f".author.name: {CONTROLS}"),
        ({"author": {"name": "a\x85b"}}, f".author.name: {CONTROLS}"),
        (nested(65), ": at most 64 levels of nested JSON (MEMMACHINE_MAX_JSON_DEPTH)"),
    ],
)
def test_a_fault_is_named_where_it_stands(context, fault):
    assert refusal(context=context) == f"context{fault}"


def test_every_failing_part_is_named():
    assert refusal(context={"author": {}, "A": {}, "b": 1}).split("; ") == [
        "context.author.name: This field is required.",
        f"context.A: {KIND}",
        "context.b: an object is wanted",
    ]


@pytest.mark.parametrize("letter", ["a", "é"])
def test_16_kib_of_context_are_taken_and_a_byte_more_is_refused(letter):
    room = 16 * 1024 - len('{"a":{"b":""}}')
    words = letter * (room // len(letter.encode()))
    assert taken(context={"a": {"b": words}}).context == {"a": {"b": words}}
    fault = refusal(context={"a": {"b": words + "a"}})
    assert fault == "context: at most 16384 bytes of JSON (MEMMACHINE_MAX_CONTEXT_BYTES)"
