"""How much a filter expression may hold."""

import pytest

from episodic.filters.parsing import parse
from episodic.filters.tree import Comparison, Operator
from tests.episodic.filters.test_parsing import refusal


def grouped(levels: int) -> str:
    return "(" * levels + "m.a = 1" + ")" * levels


def negated(levels: int) -> str:
    return "NOT " * levels + "m.a = 1"


def mixed(levels: int) -> str:
    return "NOT (" * (levels // 2) + "(" * (levels % 2) + "m.a = 1" + ")" * (levels - levels // 2)


@pytest.mark.parametrize("nested", [grouped, negated, mixed])
def test_64_levels_of_nesting_are_taken(nested):
    assert parse(nested(64)) is not None


@pytest.mark.parametrize("nested", [grouped, negated, mixed])
def test_65_levels_of_nesting_are_refused(nested):
    assert refusal(nested(65)).endswith("at most 64 levels of nesting")


def test_2000_levels_of_nesting_are_refused_where_they_go_too_deep():
    assert refusal(negated(2_000)) == f"character {64 * 4 + 5}: at most 64 levels of nesting"
    assert refusal(grouped(2_000)) == "character 66: at most 64 levels of nesting"


def test_3000_nots_are_refused():
    assert refusal(negated(3_000)) == "at most 8192 bytes"


@pytest.mark.parametrize("opening", ["(", "NOT\n", "NOT("])
def test_what_only_opens_ends_too_early(opening):
    expression = opening * (8_192 // len(opening))
    assert refusal(expression) == f"character {len(expression) + 1}: the expression ends too early"


@pytest.mark.parametrize("word", [" or ", " and "])
def test_256_predicates_are_taken_and_257_refused(word):
    assert parse(word.join(["m.a = 1"] * 256)) is not None
    assert refusal(word.join(["m.a = 1"] * 257)).endswith("at most 256 predicates")


def test_predicates_count_wherever_they_stand():
    group = "(" + " or ".join(["m.a in (1)", "m.a is null"] * 64) + ")"
    assert parse(f"{group} and {group}") is not None
    assert refusal(f"{group} and not ({group} or m.a = 1)").endswith("at most 256 predicates")


@pytest.mark.parametrize("letter", ["a", "ä", "語", "🚢"])
def test_8_kib_are_taken_and_a_byte_more_is_refused(letter):
    room = 8 * 1024 - len("m.a = ''")
    words = letter * (room // len(letter.encode()))
    full = f"m.a = '{words}'".ljust(8 * 1024 - len(words.encode()) + len(words))
    assert len(full.encode()) == 8 * 1024
    assert parse(full) == Comparison("a", Operator.EQUAL, words)
    assert refusal(full + " ") == "at most 8192 bytes"


def test_a_blank_expression_is_bounded_too():
    assert refusal(" " * 8_193) == "at most 8192 bytes"
