"""An event's own fields as a client posts them."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tests.episodic.content.inputs import refusal, taken

ID = "01970c7e-95a0-7000-8000-00000000000a"


def test_an_unknown_field_is_ignored():
    assert not hasattr(taken(mood="good", tenant="stranger"), "mood")


@pytest.mark.parametrize("field", ["id", "timestamp", "source_id"])
def test_null_is_as_if_left_out(field):
    event, other = taken(**{field: None}), taken()
    assert type(getattr(event, field)) is type(getattr(other, field))


def test_an_event_without_an_id_gets_one_of_its_own():
    assert taken().id != taken().id


def test_an_event_without_a_timestamp_is_of_now_in_utc():
    event = taken()
    assert abs(event.timestamp - datetime.now(UTC)) < timedelta(minutes=1)
    assert event.timestamp.utcoffset() == timedelta(0)


def test_a_timestamp_keeps_its_offset():
    moment = "2026-06-01T12:00:00.123456-05:30"
    assert taken(timestamp=moment).timestamp.isoformat() == moment


def test_an_id_is_a_uuid():
    assert taken(id=ID).id == UUID(ID)


@pytest.mark.parametrize("name", ["a", " ", "a\nb", "é" * 127 + "a", "0"])
def test_an_identifier_is_kept_as_it_came(name):
    event = taken(session_id=name, source_id=name)
    assert (event.session_id, event.source_id) == (name, name)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"id": 5}, "id: a uuid is wanted"),
        ({"timestamp": "2026-06-01T12:00:00"}, "timestamp: a time with an offset is wanted"),
        ({"timestamp": 0}, "timestamp: an ISO 8601 time with an offset is wanted"),
        ({"session_id": None}, "session_id: This field may not be null."),
        ({"session_id": 5}, "session_id: a text is wanted"),
        ({"session_id": ""}, "session_id: a text that is not empty is wanted"),
        ({"session_id": "é" * 128}, "session_id: at most 255 bytes of UTF-8"),
        ({"source_id": ""}, "source_id: a text that is not empty is wanted"),
        ({"source_id": "é" * 128}, "source_id: at most 255 bytes of UTF-8"),
        ({"blocks": None}, "blocks: This field may not be null."),
    ],
)
def test_a_fault_is_named_where_it_stands(fields, fault):
    assert refusal(**fields) == fault
