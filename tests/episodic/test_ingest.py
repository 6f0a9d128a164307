"""What is stored comes back exactly, and a batch is stored whole or not at all."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.db import DataError, IntegrityError, connection
from hypothesis import given
from hypothesis import strategies as st

from episodic.embedders import Embedder
from episodic.models import Derivative, Event, Link, Segment
from memmachine.errors import EventExists, InvalidRequest, TenantNotFound
from tenants.services import delete_tenant
from tests.episodic.worlds import few, new_memory
from tests.factories import event, message, text, thinking, tool_call, tool_result

TABLES: list[Any] = [Event, Segment, Derivative, Link]
TEXTS = {
    "empty": "",
    "blank": " \n\t ",
    "cjk": "彼は「はい」と言った。改行\n" * 200,
    "rtl": "שלום עולם, مرحبا بالعالم \u200f" * 60,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 300,
    "separators": "a\u2028b\u2029c\x85d\r\ne\x1ff" * 99,
    "mebibyte": "words and more words. " * 47_662,
}


def rows(tenant):
    """How many rows of each table are the tenant's."""
    return [table.objects.filter(tenant=tenant).count() for table in TABLES]


def held(memory):
    return [item.blocks for item in memory.events().items]


class InfiniteEmbedder(Embedder):
    """Vectors that no column takes."""

    def embed(self, texts):
        return np.full((len(texts), 4), np.inf, np.float32)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_survives_to_the_byte(memory, name):
    blocks = [text(TEXTS[name]), thinking(TEXTS[name]), tool_result(TEXTS[name])]
    memory.encode([event(*blocks)])
    assert held(memory) == [blocks]


@pytest.mark.django_db
@few
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_any_texts_survive(words):
    memory = new_memory()
    memory.encode([event(*map(text, words))])
    assert held(memory) == [[text(each) for each in words]]


def test_the_uuids_come_in_the_order_given(memory):
    batch = [message() for _ in range(20)]
    assert memory.encode(batch) == [event.id for event in batch]


def test_what_a_tool_was_called_with_keeps_its_key_order_and_its_floats(memory):
    call = tool_call(z=1.0, a={"y": 1, "b": [1e16, -0.0, 2**63]}, ä="\u2028")
    memory.encode([event(call)])
    assert json.dumps(held(memory)) == json.dumps([[call]])


def test_every_id_that_a_batch_names_twice_is_named(memory):
    one, two = message(), message()
    with pytest.raises(InvalidRequest) as refusal:
        memory.encode([one, two, message(), two, one])
    assert refusal.value.message == (
        f"4.id: the batch names {one.id} twice; 3.id: the batch names {two.id} twice"
    )
    assert rows(memory.tenant) == [0, 0, 0, 0]


def test_every_held_id_is_named_and_nothing_is_stored(memory, strange_memory):
    one, two, other, new = message(), message(), message(), message()
    memory.encode([one, two])
    strange_memory.encode([other])
    with pytest.raises(EventExists) as refusal:
        memory.encode([two, other, new, one])
    assert refusal.value.message == f"The tenant holds: {two.id}, {one.id}"
    assert rows(memory.tenant) == [2, 2, 2, 2]


def test_a_batch_that_fails_on_the_way_stores_nothing(memory):
    with pytest.raises(UnicodeEncodeError):
        memory.encode([message("whole"), event(thinking("\ud800"))])
    assert rows(memory.tenant) == [0, 0, 0, 0]


def test_a_batch_that_the_database_refuses_late_stores_nothing(memory, settings):
    infinite = {"BACKEND": f"{__name__}.InfiniteEmbedder"}
    settings.EMBEDDERS = settings.EMBEDDERS | {"infinite": infinite}
    memory.tenant.embedder = "infinite"
    with pytest.raises(DataError, match="infinite"):
        memory.encode([message()])
    assert rows(memory.tenant) == [0, 0, 0, 0]


def test_an_empty_batch_stores_nothing(memory):
    assert memory.encode([]) == []
    assert rows(memory.tenant) == [0, 0, 0, 0]


def test_an_event_without_blocks_is_held_and_has_no_segment(memory):
    memory.encode([event()])
    assert rows(memory.tenant) == [1, 0, 0, 0]
    assert held(memory) == [[]]


@pytest.mark.parametrize(
    "moment",
    [
        "2026-06-01T12:00:00.123456+23:59",
        "2026-06-01T12:00:00.000001-23:59",
        "2026-06-01T12:00:00+05:30",
        "0001-01-01T00:00:00+00:00",
        "0001-01-01T23:59:00+23:59",
        "9999-12-31T23:59:59.999999+00:00",
        "9999-12-31T00:00:59.999999-23:59",
    ],
)
def test_a_timestamp_keeps_its_offset_and_its_microseconds(memory, moment):
    memory.encode([message(timestamp=datetime.fromisoformat(moment))])
    (item,) = memory.events().items
    (hit,) = memory.query("hello")
    assert item.event.moment.isoformat() == hit.segments[0].moment.isoformat() == moment


def test_forgetting_takes_all_that_came_of_an_event_and_frees_its_id(memory, strange_memory):
    batch = [event(text("a long sentence of words. " * 50), tool_call(), id=UUID(int=1))]
    for each in (memory, strange_memory):
        each.encode(batch)
    stored = rows(memory.tenant)
    memory.forget([UUID(int=1), UUID(int=1), uuid4()])
    assert rows(memory.tenant) == [0, 0, 0, 0]
    assert rows(strange_memory.tenant) == stored
    memory.encode(batch)
    assert rows(memory.tenant) == stored


def test_a_deleted_tenant_takes_nothing_more(memory):
    delete_tenant("tenant")
    for action in (memory.encode, memory.forget):
        with pytest.raises(TenantNotFound):
            action([])


@pytest.mark.parametrize(
    ("table", "target"),
    [("segment", "event"), ("derivative", "event"), ("link", "segment"), ("link", "derivative")],
)
def test_the_database_refuses_a_row_that_points_into_another_tenant(
    memory, strange_memory, table, target
):
    memory.encode([message()])
    strange_memory.encode([message()])
    tenants = {"tenant": memory.tenant.pk, "stranger": strange_memory.tenant.pk}
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM episodic_link WHERE tenant_id = %(stranger)s", tenants)
        with pytest.raises(IntegrityError, match="foreign key"):
            cursor.execute(
                f"UPDATE episodic_{table} SET {target}_id ="
                f" (SELECT id FROM episodic_{target} WHERE tenant_id = %(stranger)s)"
                " WHERE tenant_id = %(tenant)s; SET CONSTRAINTS ALL IMMEDIATE",
                tenants,
            )
