"""A timestamp as CLDR text."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_datetime_format

from memmachine.errors import InvalidRequest

Style = Literal["short", "medium", "long", "full"]
STYLES: list[Style] = ["short", "medium", "long", "full"]


@dataclass(frozen=True)
class DatetimeFormat:
    """How a line's timestamp is written: a style each for the date and the time, or none.

    Without a `timezone` a timestamp is written in the offset that it came with. Raises
    InvalidRequest that names a locale or a zone that does not exist.
    """

    date_style: Style | None = "full"
    time_style: Style | None = "long"
    locale: str = "en_US"
    timezone: str | None = None

    def __post_init__(self) -> None:
        if fault := locale_fault(self.locale) or zone_fault(self.timezone):
            raise InvalidRequest(f"datetime_format: {fault}")

    def text(self, moment: datetime) -> str:
        """The moment in this format; empty where neither style is asked for."""
        if self.timezone is not None:
            # In the zone's year 0 or 10000 there is only the offset that it came with.
            with suppress(OverflowError):
                moment = moment.astimezone(ZoneInfo(self.timezone))
        if self.time_style is None:
            moment = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        # Equal datetimes may stand on different clocks, so that the clock is part of the key.
        return _text(self, moment, moment.tzinfo, moment.utcoffset())


# The same windows are read again and again, and CLDR's patterns take as long as a walk.
@lru_cache(maxsize=16_384)
def _text(
    style: DatetimeFormat, moment: datetime, zone: tzinfo | None, offset: timedelta | None
) -> str:
    locale = _locale(style.locale)
    day = style.date_style and format_date(moment, style.date_style, locale=locale)
    time = style.time_style and format_time(moment, style.time_style, tzinfo=zone, locale=locale)
    if not (day and time and style.date_style and style.time_style):
        return day or time or ""
    longer = max(style.date_style, style.time_style, key=STYLES.index)
    joined: str = str(get_datetime_format(longer, locale=locale)).replace("'", "")
    return joined.replace("{0}", time).replace("{1}", day)


def locale_fault(identifier: str) -> str | None:
    """Why a text names no locale, or None."""
    try:
        _locale(identifier)
    except (UnknownLocaleError, ValueError, OSError):  # OSError: no file has so long a name
        return f"there is no locale {identifier!r}"
    return None


def zone_fault(name: str | None) -> str | None:
    """Why a text names no time zone, or None."""
    return None if name is None or name in _zones() else f"there is no time zone {name!r}"


@lru_cache(maxsize=256)
def _locale(identifier: str) -> Locale:
    return Locale.parse(identifier.replace("-", "_"))


@lru_cache(maxsize=1)
def _zones() -> set[str]:
    return available_timezones()
