"""From a filter's tree to SQL over the columns `properties` and `timestamp`."""

from collections.abc import Iterable
from typing import Any, assert_never

from episodic.content.properties import Value, literal, to_jsonb
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
from episodic.position import utc

JSON_TYPES: dict[type, str] = {bool: "boolean", int: "number", float: "number", str: "string"}
SQL_OPERATORS = {operator: operator.value for operator in Operator} | {Operator.UNEQUAL: "<>"}


class Compilation:
    """SQL conditions that are never NULL, so that NOT is the complement.

    Values are compared as jsonb: numbers as decimals, texts by code point, and a comparison
    across types is false rather than an error. `params` collects what the conditions bind,
    under names that begin with `prefix`.
    """

    def __init__(self, alias: str, prefix: str = "filter_") -> None:
        self.alias, self.prefix = alias, prefix
        self.params: dict[str, Any] = {}

    def condition(self, node: Node) -> str:
        match node:
            case And(operands):
                return self._joined(" AND ", operands)
            case Or(operands):
                return self._joined(" OR ", operands)
            case Not(operand):
                return f"(NOT {self.condition(operand)})"
            # Equality as containment says key, type and value in one operator, three times as fast
            # as by the three.
            case Comparison(key, Operator.EQUAL, value):
                return f"({self.alias}.properties @> {self._bind(to_jsonb({key: value}))}::jsonb)"
            case Membership(key, values, negated=False):
                array = self._bind([to_jsonb({key: value}) for value in values])
                return f"({self.alias}.properties @> ANY ({array}::text[]::jsonb[]))"
            case Comparison(key, operator, value):
                test = f"{self._property(key)} {SQL_OPERATORS[operator]} {self._jsonb(value)}"
                return self._typed(key, value, test)
            case Membership(key, values):
                array = self._bind([literal(value) for value in values])
                test = f"{self._property(key)} <> ALL ({array}::text[]::jsonb[])"
                return self._typed(key, values[0], test)
            case Presence(key, present):
                test = "" if present else "NOT "
                return f"({test}{self.alias}.properties ? {self._bind(key)}::text)"
            case TimeComparison(operator, value):
                return (
                    f"({self.alias}.timestamp {SQL_OPERATORS[operator]} {self._bind(utc(value))})"
                )
            case TimePresence(present):
                return str(present).upper()
            case _:
                assert_never(node)

    def _joined(self, word: str, operands: Iterable[Node]) -> str:
        return f"({word.join(self.condition(operand) for operand in operands)})"

    def _typed(self, key: str, value: Value, test: str) -> str:
        kind = JSON_TYPES[type(value)]
        return f"((jsonb_typeof({self._property(key)}) = '{kind}' AND {test}) IS TRUE)"

    def _property(self, key: str) -> str:
        return f"({self.alias}.properties -> {self._bind(key)}::text)"

    def _jsonb(self, value: Value) -> str:
        return f"{self._bind(literal(value))}::jsonb"

    def _bind(self, value: Any) -> str:
        name = f"{self.prefix}{len(self.params)}"
        self.params[name] = value
        return f"%({name})s"
