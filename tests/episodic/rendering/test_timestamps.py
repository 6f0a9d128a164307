"""Timestamps as CLDR text: the contract's worked table, and the ends of time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.position import in_offset
from episodic.rendering.timestamps import STYLES, DatetimeFormat
from memmachine.errors import InvalidRequest
from tests.factories import START

styles = st.none() | st.sampled_from(STYLES)
NARROW = "\u202f"  # CLDR writes it before AM and PM


@pytest.mark.parametrize(
    ("choices", "written"),
    [
        ({}, "Monday, June 1, 2026, 12:00:00·PM UTC"),
        ({"date_style": "medium"}, "Jun 1, 2026, 12:00:00·PM UTC"),
        ({"time_style": None}, "Monday, June 1, 2026"),
        ({"timezone": "Asia/Tokyo"}, "Monday, June 1, 2026, 9:00:00·PM +0900"),
        ({"timezone": "America/New_York"}, "Monday, June 1, 2026, 8:00:00·AM EDT"),
        ({"locale": "de_DE"}, "Montag, 1. Juni 2026, 12:00:00 UTC"),
        ({"locale": "de-DE"}, "Montag, 1. Juni 2026, 12:00:00 UTC"),
        ({"locale": "ja", "time_style": None}, "2026年6月1日月曜日"),
        ({"locale": "en-GB", "time_style": None}, "Monday, 1 June 2026"),
        ({"date_style": None}, "12:00:00·PM UTC"),
        ({"date_style": None, "time_style": "short"}, "12:00·PM"),
        ({"date_style": "short", "time_style": "short"}, "6/1/26, 12:00·PM"),
        ({"date_style": None, "time_style": None}, ""),
    ],
)
def test_a_moment_is_written_as_cldr_has_it(choices, written):
    assert DatetimeFormat(**choices).text(START) == written.replace("·", NARROW)


def test_without_a_zone_a_moment_is_written_in_its_own_offset():
    moment = datetime(2026, 6, 1, 12, tzinfo=timezone(-timedelta(hours=5, minutes=30)))
    written = "Monday, June 1, 2026, 12:00:00·PM -0530"
    assert DatetimeFormat().text(moment) == written.replace("·", NARROW)


def test_a_zone_is_asked_for_whatever_the_offset():
    moment = START.astimezone(timezone(timedelta(hours=14)))
    form = DatetimeFormat(timezone="Asia/Tokyo")
    assert form.text(moment) == form.text(START)


def test_a_zone_may_move_a_moment_to_another_day():
    form = DatetimeFormat(time_style=None, timezone="Pacific/Kiritimati")
    assert form.text(START) == "Tuesday, June 2, 2026"


@pytest.mark.parametrize(
    ("day", "time", "written"),
    [
        ("medium", "short", "1 cze 2026, 12:00"),
        ("long", "short", "1 czerwca 2026 12:00"),
        ("short", "long", "1.06.2026 12:00:00 UTC"),
    ],
)
def test_date_and_time_are_joined_by_the_pattern_of_the_longer_style(day, time, written):
    # In Polish the medium pattern has a comma, the long one has none.
    assert DatetimeFormat(day, time, locale="pl").text(START) == written


@pytest.mark.parametrize(
    "locale", ["xx", "", " ", "en_", "en_USA", "../en", "en\n", "é", "a" * 9999, "{0}"]
)
def test_an_unknown_locale_is_refused_by_its_name(locale):
    with pytest.raises(InvalidRequest) as caught:
        DatetimeFormat(locale=locale)
    assert caught.value.message == f"datetime_format: there is no locale {locale!r}"


@pytest.mark.parametrize(
    "zone", ["", "Mars/Base", "asia/tokyo", "../UTC", "/etc/localtime", "Asia", "a" * 9999]
)
def test_an_unknown_zone_is_refused_by_its_name(zone):
    with pytest.raises(InvalidRequest) as caught:
        DatetimeFormat(timezone=zone)
    assert caught.value.message == f"datetime_format: there is no time zone {zone!r}"


@pytest.mark.parametrize(
    ("moment", "zone", "written"),
    [
        (datetime(1, 1, 1, 12, tzinfo=UTC), "Asia/Tokyo", "Monday, January 1, 1"),
        (datetime(9999, 12, 31, 12, tzinfo=UTC), "America/New_York", "Friday, December 31, 9999"),
        # Of the zone's year 0 or 10000 nothing can be written: the own offset stands.
        (datetime(1, 1, 1, tzinfo=UTC), "America/New_York", "Monday, January 1, 1"),
        (datetime(9999, 12, 31, 23, tzinfo=UTC), "Asia/Tokyo", "Friday, December 31, 9999"),
    ],
)
def test_the_first_and_the_last_year_are_written_in_any_zone(moment, zone, written):
    assert DatetimeFormat(time_style=None, timezone=zone).text(moment) == written


@settings(deadline=None)
@given(
    st.datetimes(timezones=st.just(UTC))
    | st.sampled_from([datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]),
    st.integers(-86_399, 86_399),
    styles,
    styles,
    st.sampled_from(["en_US", "de", "ja", "ar", "th", "zh-Hant-TW"]),
    st.sampled_from([None, "UTC", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"]),
)
def test_every_moment_that_an_event_can_have_is_written(moment, offset, day, time, locale, zone):
    try:
        moment = in_offset(moment, offset)
    except OverflowError:
        return  # no clock shows it, so no event came with it
    assert bool(DatetimeFormat(day, time, locale, zone).text(moment)) is bool(day or time)
