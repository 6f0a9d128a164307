"""Segments that no database has seen."""

from uuid import UUID

from episodic.models import Segment
from tests.factories import at

ALICE = {"author": {"name": "Alice"}}


def segment(block, *, event=1, index=0, offset=0, minute=0.0, session_id="s", context=ALICE):
    """A segment at a place of its own; places are equal where the segments are."""
    place = (event * 100 + index) * 100 + offset
    made = Segment(
        id=place,
        uuid=UUID(int=place),
        event_uuid=UUID(int=event),
        index=index,
        offset=offset,
        session_id=session_id,
        timestamp=at(minute),
        block=block,
    )
    made.context, made.utc_offset = context, 0
    return made
