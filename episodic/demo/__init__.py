"""A sample memory: three sessions of two people at a ferry company's ticket shop.

One of them is an agent. The sessions tell of a feature, of a bug whose cause stands in what a
tool answered and nowhere else, and of its fix.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from episodic.api.serializers import EventInput
from episodic.content.events import NewEvent
from episodic.memory import EventMemory
from memmachine.errors import EventExists

TENANT = "demo"
QUESTIONS = (
    "Why did we decide against advisory locks for the seat hold?",
    "What was the cause of held seats on the late ferry being freed an hour early?",
)


def events() -> Sequence[NewEvent]:
    """The sample's events, as a client would post them."""
    posted = json.loads((Path(__file__).parent / "sessions.json").read_text())
    batch: Sequence[NewEvent] = EventInput(many=True).run_validation(posted)
    return batch


def fill(memory: EventMemory) -> tuple[list[UUID], bool]:
    """The uuids of the sample's events, and whether this call stored them."""
    batch = events()
    try:
        return memory.encode(batch), True
    except EventExists:
        return [event.id for event in batch], False
