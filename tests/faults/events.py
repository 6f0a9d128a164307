"""Events of a few shapes. An event's uuid tells its shape, and so all that must be there of it."""

from random import Random
from typing import Any
from uuid import UUID

LONG = " ".join(f"Sentence number {n} of the long one says a little more." for n in range(24))
SHAPES: list[list[dict[str, Any]]] = [
    [{"kind": "text", "text": LONG}],
    [
        {"kind": "text", "text": "The build hangs after the tests of the seat map. Look at it."},
        {"kind": "tool_call", "name": "Bash", "input": {"command": "pytest -q"}},
        {"kind": "tool_result", "name": "Bash", "output": "1 failed\n" * 90, "error": True},
    ],
    [],
    [
        {"kind": "thinking", "text": "A lock that nobody releases, perhaps."},
        {"kind": "text", "text": "Found it, and here is why it took an hour to find out."},
        {"kind": "injected", "text": "Be brief.", "source": "hook"},
        {"kind": "text", "text": LONG[:700]},
    ],
]


def shape_of(id: UUID) -> int:
    return id.int % len(SHAPES)


def new_id(random: Random, shape: int | None = None) -> UUID:
    number = random.getrandbits(128)
    if shape is not None:
        number += shape - number % len(SHAPES)
    return UUID(int=number % 2**128)


def event(id: UUID, session_id: str) -> dict[str, Any]:
    shape = shape_of(id)
    return {
        "id": str(id),
        "timestamp": f"2026-06-01T12:00:0{shape}+02:00",
        "session_id": session_id,
        "context": {"author": {"name": f"Author {shape}"}},
        "blocks": SHAPES[shape],
        "properties": {"shape": shape, "whole": True},
    }
