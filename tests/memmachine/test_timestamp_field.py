"""The field of a time: ISO 8601 with an offset, which is kept."""

from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from memmachine.api.fields import Timestamp
from memmachine.api.handlers import places

ISO = "an ISO 8601 time with an offset is wanted"
YEARS = "an instant in the years 1 to 9999 is wanted"
TIME = Timestamp()
offsets = st.integers(-86_399, 86_399).map(lambda seconds: timezone(timedelta(seconds=seconds)))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("2026-06-01T12:00:00Z", "2026-06-01T12:00:00+00:00"),
        ("2026-06-01t12:00:00z", "2026-06-01T12:00:00+00:00"),
        ("2026-06-01 12:00+02:00", "2026-06-01T12:00:00+02:00"),
        ("2026-06-01T12:00:00.5-05:30", "2026-06-01T12:00:00.500000-05:30"),
        ("2026-06-01T12:00:00,123456+00:00", "2026-06-01T12:00:00.123456+00:00"),
        ("2026-06-01T12:00:00.123456789Z", "2026-06-01T12:00:00.123456+00:00"),
        ("20260601T120000+0200", "2026-06-01T12:00:00+02:00"),
        ("2026-W23-1T12:00:00+23:59", "2026-06-01T12:00:00+23:59"),
        ("2026-06-01T12:00:00+01:02:03", "2026-06-01T12:00:00+01:02:03"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"),
    ],
)
def test_a_time_keeps_its_offset_to_the_microsecond(value, kept):
    assert TIME.run_validation(value).isoformat() == kept


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        *[(value, ISO) for value in (5, 1.5, True, "", "now", "2026-06-01", ["now"])],
        *[(value, ISO) for value in ("2026-06-01_12:00Z", " 2026-06-01T12:00Z", "1780315200")],
        ("2026-06-01T12:00:00Z\n", ISO),
        ("٢٠٢٦-06-01T12:00:00Z", ISO),
        ("2026-06-01T12:00:00", "a time with an offset is wanted"),
        ("2026-06-01T12:00:00+00:00:00.5", ISO),
        ("0001-01-01T00:00:00+00:01", YEARS),
        ("9999-12-31T23:59:59-00:01", YEARS),
    ],
)
def test_another_time_is_refused(value, fault):
    with pytest.raises(ValidationError) as caught:
        TIME.run_validation(value)
    assert places(caught.value.detail) == f"body: {fault}"


@pytest.mark.parametrize(
    "value",
    [
        "2026-13-01T12:00:00Z",
        "2026-02-30T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00Z",
        "2026-06-01T25:00:00Z",
        "2026-06-01T12:00:60Z",
        "2026-06-01T12:00:00+24:00",
    ],
)
def test_a_time_that_no_calendar_has_is_refused(value):
    with pytest.raises(ValidationError, match="an ISO 8601 time is wanted: "):
        TIME.run_validation(value)


@given(st.datetimes(timezones=offsets), st.sampled_from("T t"))
def test_every_time_in_the_years_is_read_as_it_was_written(moment, separator):
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return
    read = TIME.run_validation(moment.isoformat(sep=separator))
    assert (read, read.utcoffset()) == (moment, moment.utcoffset())
