"""The strict fields: what each takes, and what it says to anything else."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from memmachine.api import fields
from memmachine.api.handlers import places

ID = UUID("01970c7e-95a0-7000-8000-00000000000a")
EMPTY = "a text that is not empty is wanted"
NULL = "This field may not be null."

TEXT = fields.Text(max_bytes=4)
FREE = fields.Text(empty=True)
PLAIN = fields.Text(controls=False)
CUE = fields.Text(bound="MEMMACHINE_MAX_QUERY_BYTES")
CHOICE = fields.Choice(choices=["red", "blue"])
COUNT = fields.Integer(min_value=1, max_value=9)
LIMIT = fields.Integer(min_value=1, ceiling=9)
SCORE = fields.Number(min_value=-1, max_value=1)
NUMBER = fields.Number()
BOOLEAN = fields.Boolean()
UUIDS = fields.Uuid()
NOTHING = fields.Nothing(wanted="null is wanted")
OBJECT = fields.JsonObject(bound="MEMMACHINE_MAX_CONTEXT_BYTES")


@pytest.mark.parametrize(
    ("field", "value", "taken"),
    [
        (TEXT, " a ", " a "),
        (TEXT, "\n\t", "\n\t"),
        (TEXT, "éé", "éé"),
        (TEXT, "🚢", "🚢"),
        (FREE, "", ""),
        (PLAIN, "a\u2028é", "a\u2028é"),
        (CUE, "é" * 32 * 1024, "é" * 32 * 1024),
        (CHOICE, "red", "red"),
        (COUNT, 1, 1),
        (COUNT, 9, 9),
        (LIMIT, 9, 9),
        (LIMIT, 10**30, 9),
        (SCORE, -1, -1.0),
        (SCORE, 1.0, 1.0),
        (NUMBER, 10**308, 1e308),
        (BOOLEAN, True, True),
        (BOOLEAN, False, False),
        (UUIDS, str(ID), ID),
        (UUIDS, ID.hex, ID),
        (UUIDS, str(ID).upper(), ID),
        (NOTHING, None, None),
        (OBJECT, {}, {}),
        (OBJECT, {"b": [None, 1.0], "a": {}}, {"b": [None, 1.0], "a": {}}),
    ],
)
def test_a_value_of_the_fields_type_is_taken(field, value, taken):
    assert repr(field.run_validation(value)) == repr(taken)


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        *[(TEXT, value, "a text is wanted") for value in (5, True, 1.5, ["a"], b"a")],
        (TEXT, "", EMPTY),
        (TEXT, None, NULL),
        (TEXT, "aaaaa", "at most 4 bytes of UTF-8"),
        (TEXT, "ééa", "at most 4 bytes of UTF-8"),
        (TEXT, "a\0", "a NUL character cannot be stored"),
        (TEXT, "\udfff", "a lone surrogate cannot be stored"),
        (FREE, None, NULL),
        *[
            (PLAIN, f"a{control}", "a text without control characters is wanted")
            for control in "\n\t\x1b\x7f\x85"
        ],
        (
            CUE,
            "é" * 32 * 1024 + "a",
            "at most 65536 bytes of UTF-8 (MEMMACHINE_MAX_QUERY_BYTES)",
        ),
        *[
            (CHOICE, value, "one of red, blue is wanted")
            for value in ("Red", "", " red", 5, ["red"])
        ],
        *[(COUNT, value, "an integer is wanted") for value in ("1", 1.0, True, [1])],
        (COUNT, 0, "an integer of at least 1 is wanted"),
        (COUNT, 10, "an integer of at most 9 is wanted"),
        (LIMIT, 0, "an integer of at least 1 is wanted"),
        (LIMIT, "9", "an integer is wanted"),
        *[(SCORE, value, "a number is wanted") for value in ("1", True, [1])],
        (SCORE, 1.01, "a number from -1 to 1 is wanted"),
        (SCORE, -2, "a number from -1 to 1 is wanted"),
        (NUMBER, 10**400, "a finite number is wanted"),
        *[
            (BOOLEAN, value, "true or false is wanted")
            for value in ("true", "yes", 1, 0, "", [True])
        ],
        (BOOLEAN, None, NULL),
        *[
            (UUIDS, value, "a uuid is wanted")
            for value in ("", "x", 5, 1.5, f"{{{ID}}}", f"urn:uuid:{ID}", f" {ID}", ID.hex[:-1])
        ],
        *[(NOTHING, value, "null is wanted") for value in (0, "", False, [None], "cross-encoder")],
        *[(OBJECT, value, "a JSON object is wanted") for value in ([1], "{}", 5)],
        (
            OBJECT,
            {"a": "é" * 8 * 1024},
            "at most 16384 bytes of JSON (MEMMACHINE_MAX_CONTEXT_BYTES)",
        ),
    ],
)
def test_anything_else_is_refused_with_what_is_wanted(field, value, fault):
    with pytest.raises(ValidationError) as caught:
        field.run_validation(value)
    assert places(caught.value.detail) == f"body: {fault}"


@pytest.mark.parametrize("container", [lambda inner: {"a": inner}, lambda inner: [inner]])
def test_64_levels_of_an_object_are_taken_and_65_refused(container):
    def nested(levels):
        value = 1
        for _ in range(levels):
            value = container(value)
        return value

    assert OBJECT.run_validation({"a": nested(63)})
    with pytest.raises(ValidationError, match="at most 64 levels of nested JSON"):
        OBJECT.run_validation({"a": nested(64)})


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_text_is_bounded_by_its_bytes(words):
    field = fields.Text(max_bytes=12, empty=True)
    if len(words.encode()) <= 12:
        assert field.run_validation(words) == words
    else:
        with pytest.raises(ValidationError):
            field.run_validation(words)


def test_a_bound_is_read_from_its_setting_at_every_use(settings):
    settings.MEMMACHINE_MAX_QUERY_BYTES = 3
    with pytest.raises(ValidationError, match="at most 3 bytes"):
        CUE.run_validation("four")
