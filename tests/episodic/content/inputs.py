"""What becomes of an event as a client posts it."""

from episodic.api.serializers import EventInput
from memmachine.api.handlers import places


def posted(**fields) -> EventInput:
    serializer = EventInput(data={"session_id": "s", "blocks": [], **fields})
    serializer.is_valid()
    return serializer


def taken(**fields):
    """The event that the fields make."""
    serializer = posted(**fields)
    assert places(serializer.errors) == ""
    return serializer.validated_data


def refusal(**fields) -> str:
    """Every failing place of the event, as the API says them."""
    return places(posted(**fields).errors)
