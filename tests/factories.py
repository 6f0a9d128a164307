"""Plain functions that make what tests need."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from episodic.content.blocks import Block
from episodic.content.events import NewEvent

START = datetime(2026, 6, 1, 12, tzinfo=UTC)


def at(minute: float) -> datetime:
    """That many minutes after the start of all test time."""
    return START + timedelta(minutes=minute)


def text(words: str) -> Block:
    return {"kind": "text", "text": words}


def thinking(words: str) -> Block:
    return {"kind": "thinking", "text": words}


def tool_call(name: str = "Bash", **arguments: Any) -> Block:
    return {"kind": "tool_call", "name": name, "input": arguments}


def tool_result(output: str, name: str = "Bash", *, error: bool = False) -> Block:
    return {"kind": "tool_result", "name": name, "output": output, "error": error}


def injected(words: str, source: str = "hook") -> Block:
    return {"kind": "injected", "text": words, "source": source}


def event(*blocks: Block, minute: float = 0, session_id: str = "s", **fields: Any) -> NewEvent:
    fields.setdefault("timestamp", at(minute))
    return NewEvent(session_id=session_id, blocks=list(blocks), **fields)


def message(words: str = "hello", *, author: str | None = "Alice", **fields: Any) -> NewEvent:
    """An event with one text block."""
    if author is not None:
        fields.setdefault("context", {"author": {"name": author}})
    return event(text(words), **fields)


def texts(segments: Sequence[Any]) -> list[str]:
    """The segments' texts, for comparing windows at a glance."""
    return [segment.block["text"] for segment in segments]
