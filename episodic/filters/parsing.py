"""From a filter expression's text to its tree."""

import re
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from rest_framework.serializers import ValidationError

from episodic.content.properties import Value, key_fault, value_fault
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
from memmachine.api.fields import Timestamp, at_most

MAX_BYTES = 8 * 1024
MAX_NESTING = 64
MAX_PREDICATES = 256
TIMESTAMP = "timestamp"
PROPERTY = re.compile(r"(?:m|metadata)\.(.*)", re.DOTALL)
ORDERINGS = {Operator.LESS, Operator.AT_MOST, Operator.GREATER, Operator.AT_LEAST}

_parser = Lark(
    (Path(__file__).parent / "grammar.lark").read_text(), parser="lalr", propagate_positions=True
)


class FilterError(ValueError):
    """What is wrong with an expression, and at which character (from 1) it stands."""


def parse(expression: str) -> Node | None:
    """The expression's tree; None for a blank one, which filters nothing.

    Raises FilterError.
    """
    if len(expression.encode(errors="surrogatepass")) > MAX_BYTES:
        raise FilterError(at_most(MAX_BYTES, "bytes"))
    if not expression.strip():
        return None
    try:
        tree = _parser.parse(expression)
    except UnexpectedInput as error:
        raise _refusal(_place(error, expression), _syntax(error)) from None
    return _Builder().build(tree, 0)


class _Builder:
    """Checks what the grammar cannot say. Its recursion is bounded by the nesting it allows."""

    def __init__(self) -> None:
        self.predicates = 0

    def build(self, tree: "Tree[Token]", nesting: int) -> Node:
        if nesting > MAX_NESTING:
            raise _refusal(_start(tree), f"at most {MAX_NESTING} levels of nesting")
        children: Any = tree.children
        match tree.data:
            case "disjunction":
                return Or(tuple(self.build(child, nesting) for child in children))
            case "conjunction":
                return And(tuple(self.build(child, nesting) for child in children))
            case "group":
                return self.build(children[0], nesting + 1)
            case "negated":
                return Not(self.build(children[0], nesting + 1))
            case kind:
                self.predicates += 1
                if self.predicates > MAX_PREDICATES:
                    raise _refusal(_start(tree), f"at most {MAX_PREDICATES} predicates")
                return _predicate(kind, *children)


def _predicate(kind: str, field: Token, *rest: Any) -> Node:
    key = None if field == TIMESTAMP else _key(field)
    if kind in {"missing", "present"}:
        present = kind == "present"
        return TimePresence(present) if key is None else Presence(key, present)
    if kind == "comparison":
        operator = Operator("!=" if rest[0] == "<>" else rest[0])
        return _comparison(field, key, operator, rest[1])
    if key is None:
        raise _refusal(_start(field), "timestamp compares with date('…') and with nothing else")
    values = tuple(_value(item) for item in rest)
    if not any(all(type(value) is kind for value in values) for kind in (int, str)):
        raise _refusal(_start(rest[0]), "a list is all integers or all texts")
    return Membership(key, values, negated=kind == "not_among")


def _comparison(field: Token, key: str | None, operator: Operator, item: Any) -> Node:
    is_date = isinstance(item, Tree)
    if (key is None) != is_date:
        raise _refusal(
            _start(item),
            "timestamp compares with date('…') and with nothing else, and it with no other field",
        )
    if key is None:
        return TimeComparison(operator, _instant(item.children[0]))
    value = _value(item)
    if operator in ORDERINGS and (isinstance(value, bool | str)):
        raise _refusal(_start(item), f"{operator} compares numbers")
    return Comparison(key, operator, value)


def _key(field: Token) -> str:
    match = PROPERTY.fullmatch(field)
    if match is None:
        raise _refusal(_start(field), f"no field {field!s}; there are m.<property> and timestamp")
    if fault := key_fault(match[1]):
        raise _refusal(_start(field), f"{field!s}: {fault}")
    return match[1]


def _value(item: Any) -> Value:
    if isinstance(item, Tree):
        raise _refusal(_start(item), "a list is all integers or all texts")
    value: Value
    match item.type:
        case "QUOTED":
            quote = item[0]
            value = item[1:-1].replace(quote * 2, quote)
        case "WORD":
            value = str(item)
        case "BOOLEAN":
            value = item.lower() == "true"
        case _:
            value = float(item) if re.search(r"[.eE]", item) else _integer(item)
    if fault := value_fault(value):
        raise _refusal(_start(item), fault)
    return value


def _integer(item: Token) -> int:
    if len(item.lstrip("+-0")) > 19:  # more than 64 bits hold, and maybe than Python converts
        raise _refusal(_start(item), "an integer of 64 bits is wanted")
    return int(item)


def _instant(item: Token) -> Any:
    try:
        return Timestamp().to_internal_value(_value(item))
    except ValidationError as error:
        message: Any = error.detail[0]  # type: ignore[index]  # a list for one field
        raise _refusal(_start(item), str(message)) from None


def _start(item: Any) -> int:
    place: Any = item if isinstance(item, Token) else item.meta
    return int(place.start_pos) + 1


def _place(error: UnexpectedInput, expression: str) -> int:
    at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    place: Any = len(expression) if at_end else error.pos_in_stream
    return int(place) + 1


def _syntax(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedCharacters):
        return f"unexpected {error.char!r}"
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return f"unexpected {str(error.token)!r}"
    return "the expression ends too early"


def _refusal(place: int, message: str) -> FilterError:
    return FilterError(f"character {place}: {message}")
