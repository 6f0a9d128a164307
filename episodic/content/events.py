"""An event before it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from django.utils.timezone import now

from episodic.content.blocks import Block
from episodic.content.context import Context
from episodic.content.properties import Properties


@dataclass(frozen=True, kw_only=True)
class NewEvent:
    """One entry for a session's timeline, valid as `api.serializers.EventInput` checks it.

    Left out, the `id` is a random uuid and the `timestamp` the server's now in UTC.
    """

    session_id: str
    blocks: Sequence[Block]
    id: UUID = field(default_factory=uuid4)
    timestamp: datetime = field(default_factory=now)
    source_id: str | None = None
    context: Context = field(default_factory=dict)
    properties: Properties = field(default_factory=dict)
