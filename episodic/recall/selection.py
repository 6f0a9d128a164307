"""Which segments a request is about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from episodic.filters.tree import Node


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Conditions on segments, all of which hold: None keeps all, an empty sequence nothing.

    `since` is inclusive, `until` exclusive.
    """

    session_ids: Sequence[str] | None = None
    source_ids: Sequence[str] | None = None
    block_kinds: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    filter: Node | None = None

    def is_within(self) -> bool:
        """Whether it names sessions or bounds the time."""
        return any(each is not None for each in (self.session_ids, self.since, self.until))

    def of_neighbours(self) -> "Selection":
        """The same for a walk, which never leaves the seed's session."""
        return replace(self, session_ids=None)
