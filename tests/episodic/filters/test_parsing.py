"""What each construct of a filter expression parses to, and what each fault is called."""

from datetime import UTC, datetime

import pytest

from episodic.filters.parsing import FilterError, parse
from episodic.filters.tree import (
    And,
    Comparison,
    Membership,
    Not,
    Operator,
    Or,
    Presence,
    TimeComparison,
    TimePresence,
)

A, B, C = (Comparison(key, Operator.EQUAL, 1) for key in "abc")
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def refusal(expression: str) -> str:
    with pytest.raises(FilterError) as caught:
        parse(expression)
    return str(caught.value)


@pytest.mark.parametrize("expression", ["", " ", "\n\t\r\n"])
def test_a_blank_expression_is_no_filter(expression):
    assert parse(expression) is None


@pytest.mark.parametrize("sign", ["=", "!=", "<", "<=", ">", ">="])
def test_every_operator_compares(sign):
    assert parse(f"m.a {sign} 1") == Comparison("a", Operator(sign), 1)


def test_two_signs_say_unequal():
    assert parse("m.a <> 1") == parse("m.a != 1")


def test_a_property_goes_by_two_prefixes():
    assert parse("metadata.a = 1") == parse("m.a = 1") == A


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'red'", "red"),
        ('"red"', "red"),
        ("''", ""),
        ("'it''s'", "it's"),
        ('"it\'s"', "it's"),
        ('"say ""hi"""', 'say "hi"'),
        ("'a\\nb'", "a\\nb"),
        ("'a\nb'", "a\nb"),
        ("' red '", " red "),
        ("red", "red"),
        ("Ärger_1", "Ärger_1"),
        ("orange", "orange"),
        ("date", "date"),
        ("ıs", "ıs"),
        ("falſe", "falſe"),
        ("1", 1),
        ("-1", -1),
        ("+1", 1),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1.0", 1.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-2.5e-3", -0.0025),
        ("1e3", 1000.0),
        ("1E+3", 1000.0),
        ("true", True),
        ("FALSE", False),
    ],
)
def test_a_value_is_what_is_written(written, value):
    assert repr(parse(f"m.a = {written}")) == repr(Comparison("a", Operator.EQUAL, value))


@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ("m.a in (1, 2)", Membership("a", (1, 2), negated=False)),
        ("m.a IN ('x')", Membership("a", ("x",), negated=False)),
        ("m.a Not In (x, 'y')", Membership("a", ("x", "y"), negated=True)),
        ("m.a is null", Presence("a", present=False)),
        ("m.a Is NOT Null", Presence("a", present=True)),
        ("timestamp is null", TimePresence(present=False)),
        ("timestamp is not null", TimePresence(present=True)),
        ("timestamp < date('2026-06-01T12:00:00Z')", TimeComparison(Operator.LESS, NOON)),
        ('timestamp = DATE ("2026-06-01T14:00:00+02:00")', TimeComparison(Operator.EQUAL, NOON)),
        ("not m.a = 1", Not(A)),
        ("not not m.a = 1", Not(Not(A))),
        ("m.a = 1 AND m.b = 1 And m.c = 1", And((A, B, C))),
        ("m.a = 1 OR m.b = 1 Or m.c = 1", Or((A, B, C))),
    ],
)
def test_a_construct_is_a_node(expression, tree):
    assert parse(expression) == tree


@pytest.mark.parametrize(
    ("expression", "tree"),
    [
        ("m.a = 1 or m.b = 1 and m.c = 1", Or((A, And((B, C))))),
        ("m.a = 1 and m.b = 1 or m.c = 1", Or((And((A, B)), C))),
        ("(m.a = 1 or m.b = 1) and m.c = 1", And((Or((A, B)), C))),
        ("not m.a = 1 and m.b = 1", And((Not(A), B))),
        ("not (m.a = 1 and m.b = 1)", Not(And((A, B)))),
        ("((m.a = 1))", A),
    ],
)
def test_not_binds_tightest_and_or_loosest(expression, tree):
    assert parse(expression) == tree


@pytest.mark.parametrize("key", ["in", "is", "null", "not", "and", "or", "true", "date", "m", "0"])
def test_a_property_may_be_called_like_a_keyword(key):
    assert parse(f"m.{key} in (1)") == Membership(key, (1,), negated=False)


def test_a_property_called_timestamp_is_not_the_time():
    assert parse("m.timestamp = 1") == Comparison("timestamp", Operator.EQUAL, 1)


def test_blanks_are_needed_between_words_alone():
    assert parse("(m.a=1)and(not(m.b=1))or\n\tm.c\r\n=\t1") == Or((And((A, Not(B))), C))


ONLY_DATES = "timestamp compares with date('…') and with nothing else"


@pytest.mark.parametrize(
    ("expression", "place", "fault"),
    [
        ("color = 1", 1, "no field color; there are m.<property> and timestamp"),
        ("M.a = 1", 1, "no field M.a"),
        ("m.a = 1 or Timestamp is null", 12, "no field Timestamp"),
        ("m.A = 1", 1, "m.A: a key of [a-z0-9_], 1 to 32 bytes, is wanted"),
        ("m. = 1", 1, "m.: a key of"),
        ("m.a.b = 1", 1, "m.a.b: a key of"),
        (f"m.{'a' * 33} = 1", 1, "a key of"),
        ("m.memmachine_a = 1", 1, "keys that begin with memmachine_ are reserved"),
        ("m.a < 'red'", 7, "< compares numbers"),
        ("m.a >= true", 8, ">= compares numbers"),
        ("m.a > red", 7, "> compares numbers"),
        ("m.a = date('2026-06-01T12:00:00Z')", 7, ONLY_DATES),
        ("timestamp = 5", 13, ONLY_DATES),
        ("timestamp in (1)", 1, ONLY_DATES),
        ("timestamp > date('2026-06-01')", 18, "an ISO 8601 time with an offset is wanted"),
        ("timestamp > date('2026-06-01T12:00:00')", 18, "a time with an offset is wanted"),
        ("timestamp > date('2026-13-01T12:00:00Z')", 18, "an ISO 8601 time is wanted"),
        ("m.a in ()", 9, "unexpected ')'"),
        ("m.a in (1, 'x')", 9, "a list is all integers or all texts"),
        ("m.a in (1.5)", 9, "a list is all integers or all texts"),
        ("m.a in (true)", 9, "a list is all integers or all texts"),
        ("m.a in (date('2026-06-01T12:00:00Z'))", 9, "a list is all integers or all texts"),
        ("m.a = 9223372036854775808", 7, "an integer of 64 bits is wanted"),
        (f"m.a = {'9' * 5000}", 7, "an integer of 64 bits is wanted"),
        ("m.a = 1e999", 7, "a finite number is wanted"),
        ("m.a = '\0'", 7, "a NUL character cannot be stored"),
        ("m.a = '\ud800'", 7, "a lone surrogate cannot be stored"),
        ("\ud800", 1, r"unexpected '\ud800'"),
        ("m.a = 'red", 7, 'unexpected "\'"'),
        ("m.a = 'it's'", 11, "unexpected 's'"),
        ("m.a == 1", 6, "unexpected '='"),
        ("m.a = 1 m.b = 1", 9, "unexpected 'm'"),
        ("m.a = 1;", 8, "unexpected ';'"),
        ("m.a = 0x10", 7, "unexpected '0'"),
        ("m.a = 1_0", 7, "unexpected '1'"),
        ("m.a = ٣", 7, "unexpected '٣'"),
        ("m.a = null", 7, "unexpected 'null'"),
        ("m.a = m.b", 8, "unexpected '.'"),
        ("m.a ıs null", 5, "unexpected 'ıs'"),
        ("()", 2, "unexpected ')'"),
        ("m.a =", 6, "the expression ends too early"),
        ("(m.a = 1", 9, "the expression ends too early"),
    ],
)
def test_a_refusal_says_where_and_what(expression, place, fault):
    assert refusal(expression).startswith(f"character {place}: ")
    assert fault in refusal(expression)
