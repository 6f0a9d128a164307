"""Where things stand in time."""

from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID


class Position(NamedTuple):
    """Where a segment stands: positions compare as a tenant's timeline is ordered."""

    timestamp: datetime
    event_uuid: UUID
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody calls here
    offset: int


def utc(moment: datetime) -> datetime:
    """The moment as PostgreSQL takes any: it reads no offset of 16 hours or more."""
    return moment.astimezone(UTC)


def in_offset(instant: datetime, utc_offset: int) -> datetime:
    """The instant on a clock that is `utc_offset` seconds ahead of UTC."""
    return instant.astimezone(_zone(utc_offset))


@lru_cache(maxsize=256)
def _zone(utc_offset: int) -> timezone:
    return timezone(timedelta(seconds=utc_offset))
