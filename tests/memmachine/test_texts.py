"""Which texts can be kept and shown, and how JSON is written."""

import pytest

from memmachine.texts import compact_json, has_controls, text_fault


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": [1.0, None]}, '{"b":1,"a":[1.0,null]}'),
        ({"é": "🚢"}, '{"é":"🚢"}'),
        ({}, "{}"),
    ],
)
def test_compact_json_has_no_blanks_and_keeps_order_and_letters(value, written):
    assert compact_json(value) == written


@pytest.mark.parametrize("text", ["", "a", "\u2028", "彼は", "🚢", "\x01"])
def test_any_text_of_unicode_but_nul_can_be_kept(text):
    assert text_fault(text) is None


@pytest.mark.parametrize(("text", "fault"), [("a\0", "NUL"), ("\ud800", "surrogate")])
def test_what_neither_utf8_nor_postgresql_can_say_is_a_fault(text, fault):
    assert fault in str(text_fault(text))


@pytest.mark.parametrize(
    ("text", "found"), [("a\n", True), ("\x7f", True), ("\x85", True), ("\u2028", False)]
)
def test_control_characters_are_those_of_category_cc(text, found):
    assert has_controls(text) is found
