"""Filter expressions as a closed tree of frozen nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from episodic.content.properties import Value


class Operator(StrEnum):
    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="


@dataclass(frozen=True)
class Comparison:
    """A property against a value of its own type; integers and floats are one type."""

    key: str
    operator: Operator
    value: Value


@dataclass(frozen=True)
class Membership:
    """A property among values, or a value of that type that is none of them."""

    key: str
    values: tuple[Value, ...]
    negated: bool


@dataclass(frozen=True)
class Presence:
    """Whether an event has a property."""

    key: str
    present: bool


@dataclass(frozen=True)
class TimeComparison:
    """The event's timestamp against an instant."""

    operator: Operator
    value: datetime


@dataclass(frozen=True)
class TimePresence:
    """Whether an event has a timestamp, which all have."""

    present: bool


@dataclass(frozen=True)
class Not:
    """The complement: it also keeps events that lack the property."""

    operand: "Node"


@dataclass(frozen=True)
class And:
    operands: Sequence["Node"]


@dataclass(frozen=True)
class Or:
    operands: Sequence["Node"]


Node = Comparison | Membership | Presence | TimeComparison | TimePresence | Not | And | Or
