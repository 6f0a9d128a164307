"""Tenants that count as large: the threshold is low here, and the indexes are real."""

import random
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from episodic.indexing.build import drop, in_catalog
from episodic.memory import EventMemory
from tests.factories import message

THRESHOLD = 200
WORDS = [f"word{n}" for n in range(60)]


@pytest.fixture(autouse=True)
def _low_threshold(settings):
    settings.MEMMACHINE_VECTOR_INDEX_THRESHOLD = THRESHOLD


def chatter(count: int, seed: int = 0):
    """Messages of a few sessions and sources, no two alike, some with a property."""
    chance = random.Random(seed)
    return [
        message(
            " ".join(chance.sample(WORDS, 8)),
            minute=n,
            session_id=f"s{n % 3}",
            source_id=chance.choice(["x", "y"]),
            properties={"fifth": n % 5, "tenth": n % 10, "own": n},
        )
        for n in range(count)
    ]


def index_tenants(*arguments: str) -> str:
    """What the command prints."""
    said = StringIO()
    call_command("index_tenants", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue()


@pytest.fixture
def large(
    transactional_db, memory: EventMemory, strange_memory: EventMemory
) -> Iterator[EventMemory]:
    """A memory above the threshold, beside a stranger who said the same."""
    memory.encode(chatter(300))
    strange_memory.encode(chatter(300))
    yield memory
    for name in in_catalog(connection):  # tables are emptied after a test, and keep their indexes
        drop(connection, name)
