"""Properties: which are taken, and that they come back from jsonb as they were."""

import json

import pytest
from django.db import connection
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from episodic.content.properties import literal, to_jsonb
from tests.episodic.content.inputs import refusal, taken

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.one_of(st.booleans(), integers, floats, floats.map(float.__round__).map(float), texts)
keys = st.from_regex(r"[a-z0-9_]{1,32}", fullmatch=True)
KEY = "a key of [a-z0-9_], 1 to 32 bytes, is wanted"
TYPE = "a boolean, an integer, a float or a text is wanted"


def through_postgres(jsonb: str):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::jsonb", [jsonb])
        return json.loads(cursor.fetchone()[0])


@pytest.mark.django_db
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(keys, values))
@example({"p": 1e16})
@example({"p": 1.0})
@example({"p": 1e308})
@example({"p": 5e-324})
@example({"p": 2.0**63})
@example({"p": 2**63 - 1})
def test_properties_come_back_equal_and_of_the_same_type(properties):
    found = through_postgres(to_jsonb(properties))
    assert found == properties
    assert {k: type(v) for k, v in found.items()} == {k: type(v) for k, v in properties.items()}


@pytest.mark.django_db
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(integers, floats, floats.map(float.__round__)), integers | floats)
def test_jsonb_orders_numbers_as_python_does(one, other):
    pair = f"[{literal(one)},{literal(other)}]"
    with connection.cursor() as cursor:
        cursor.execute("SELECT x->0 < x->1, x->0 = x->1 FROM (SELECT %s::jsonb) AS t(x)", [pair])
        assert cursor.fetchone() == (one < other, one == other)


@pytest.mark.parametrize("key", ["a", "0", "_", "in", "memmachine", "a" * 32])
def test_a_key_is_of_lower_case_letters_digits_and_lines(key):
    assert taken(properties={key: 1}).properties == {key: 1}


@pytest.mark.parametrize("key", ["A", "a b", "a-b", "é", "a.b", "a\n", "a" * 33])
def test_another_key_is_refused(key):
    assert refusal(properties={key: 1}) == f"properties.{key}: {KEY}"


def test_an_empty_key_is_refused():
    assert refusal(properties={"": 1}) == f"properties: {KEY}"


@pytest.mark.parametrize("key", ["memmachine_", "memmachine_x"])
def test_a_reserved_key_is_refused(key):
    fault = "keys that begin with memmachine_ are reserved"
    assert refusal(properties={key: 1}) == f"properties.{key}: {fault}"


@pytest.mark.parametrize(
    "value", [True, False, 0, -(2**63), 2**63 - 1, 1.0, -0.5, 1e308, "", " a ", "é" * 4096]
)
def test_a_value_is_kept_as_it_came(value):
    assert repr(taken(properties={"p": value}).properties["p"]) == repr(value)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, TYPE),
        ([], TYPE),
        ({}, TYPE),
        (2**63, "an integer of 64 bits is wanted"),
        (-(2**63) - 1, "an integer of 64 bits is wanted"),
        (float("inf"), "a finite number is wanted"),
        (float("nan"), "a finite number is wanted"),
        ("\0", "a NUL character cannot be stored"),
        ("\ud800", "a lone surrogate cannot be stored"),
        ("é" * 4096 + "a", "at most 8192 bytes of UTF-8 (MEMMACHINE_MAX_PROPERTY_BYTES)"),
    ],
)
def test_another_value_is_refused(value, fault):
    assert refusal(properties={"p": value}) == f"properties.p: {fault}"


def test_every_failing_property_is_named():
    assert (
        refusal(properties={"A": 1, "b": 2, "c": None})
        == f"properties.A: {KEY}; properties.c: {TYPE}"
    )


def test_64_properties_are_taken_and_65_refused():
    assert len(taken(properties={f"p{n}": n for n in range(64)}).properties) == 64
    fault = refusal(properties={f"p{n}": n for n in range(65)})
    assert fault == "properties: at most 64 properties (MEMMACHINE_MAX_EVENT_PROPERTIES)"


@pytest.mark.parametrize("properties", [[], "x", 1, True])
def test_what_is_no_object_is_refused(properties):
    assert refusal(properties=properties) == "properties: an object of properties is wanted"


def test_null_is_no_object_either():
    assert refusal(properties=None) == "properties: This field may not be null."


def test_a_property_called_non_field_errors_is_named_too():
    assert refusal(properties={"non_field_errors": None}) == f"properties.non_field_errors: {TYPE}"
