"""Filter trees, and the ways in which one can be written."""

import re
from typing import assert_never

from hypothesis import strategies as st

from episodic.filters.tree import (
    And,
    Comparison,
    Membership,
    Node,
    Not,
    Operator,
    Or,
    Presence,
    TimeComparison,
    TimePresence,
)

KEYWORDS = {"and", "or", "not", "in", "is", "null", "true", "false"}
EQUALITIES = st.sampled_from([Operator.EQUAL, Operator.UNEQUAL])
blanks = st.sampled_from(["", " ", "\n", " \t"])


def trees(keys, integers, floats, texts, instants):
    """Trees of every kind of node; no `And` or `Or` of less than two."""
    texts_or_integers = st.one_of(
        *(st.lists(each, min_size=1, max_size=3) for each in (integers, texts))
    )
    predicates = st.one_of(
        st.builds(Comparison, keys, st.sampled_from(Operator), integers | floats),
        st.builds(Comparison, keys, EQUALITIES, texts | st.booleans()),
        st.builds(Membership, keys, texts_or_integers.map(tuple), st.booleans()),
        st.builds(Presence, keys, st.booleans()),
        st.builds(TimeComparison, st.sampled_from(Operator), instants),
        st.builds(TimePresence, st.booleans()),
    )
    return st.recursive(predicates, _compounds, max_leaves=10)


def _compounds(inner):
    operands = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, inner) | st.builds(And, operands) | st.builds(Or, operands)


def spelt(draw, node: Node) -> str:
    """One of the ways to write a tree that parse back to it."""

    def word(keyword):
        return draw(st.sampled_from([keyword, keyword.upper(), keyword.title()]))

    def field(key):
        return draw(st.sampled_from(["m.", "metadata."])) + key

    def sign(operator):
        return draw(st.sampled_from(["!=", "<>"])) if operator == "!=" else operator.value

    def around(text):
        return draw(blanks) + text + draw(blanks)

    def inside(operand, *grouped):
        text = spelt(draw, operand)
        return f"({around(text)})" if isinstance(operand, grouped) or draw(st.booleans()) else text

    match node:
        case Or(operands):
            return f" {word('or')} ".join(inside(operand, Or) for operand in operands)
        case And(operands):
            return f" {word('and')} ".join(inside(operand, Or, And) for operand in operands)
        case Not(operand):
            return f"{word('not')} {inside(operand, Or, And)}"
        case Comparison(key, operator, value):
            return field(key) + around(sign(operator)) + _value(draw, value)
        case Membership(key, values, negated):
            test = f"{word('not')} {word('in')}" if negated else word("in")
            items = ",".join(around(_value(draw, value)) for value in values)
            return f"{field(key)} {test}{draw(blanks)}({items})"
        case Presence(key, present):
            return f"{field(key)} {word('is')} {word('not') if present else ''} {word('null')}"
        case TimeComparison(operator, value):
            moment = value.isoformat(sep=draw(st.sampled_from("T ")))
            return f"timestamp{around(sign(operator))}{word('date')}({_quoted(draw, moment)})"
        case TimePresence(present):
            return f"timestamp {word('is')} {word('not') if present else ''} {word('null')}"
        case _:
            assert_never(node)


def _value(draw, value) -> str:
    match value:
        case bool():
            return draw(st.sampled_from([str(value), str(value).lower(), str(value).upper()]))
        case str():
            bare = re.fullmatch(r"[^\W\d]\w*", value) and value.lower() not in KEYWORDS
            return value if bare and draw(st.booleans()) else _quoted(draw, value)
        case _:
            number = draw(st.sampled_from([repr(value), repr(value).upper()]))
            return number if number.startswith("-") else draw(st.sampled_from(["", "+"])) + number


def _quoted(draw, text) -> str:
    quote = draw(st.sampled_from("'\""))
    return quote + text.replace(quote, quote * 2) + quote
