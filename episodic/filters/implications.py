"""What must hold of an event's properties for a filter to keep it, as far as an index can tell."""

from collections.abc import Sequence

from episodic.content.properties import Value
from episodic.filters.tree import And, Comparison, Membership, Node, Operator, Or

Pair = tuple[str, Value]


def implied(node: Node | None) -> list[list[Pair]]:
    """Groups of properties, of each of which an event that is kept has at least one.

    Only equality implies any; with no group, all events may be kept. The groups are necessary
    and not sufficient: the filter is tested all the same.
    """
    match node:
        case Comparison(key, Operator.EQUAL, value):
            return [[(key, value)]]
        case Membership(key, values, negated=False):
            return [[(key, value) for value in values]]
        case And(operands):
            return [group for operand in operands for group in implied(operand)]
        case Or(operands):
            return _either([implied(operand) for operand in operands])
        case _:
            return []


def _either(alternatives: Sequence[list[list[Pair]]]) -> list[list[Pair]]:
    """One group of each alternative, the one with the fewest, makes a group of all."""
    if not all(alternatives):
        return []
    return [[pair for groups in alternatives for pair in min(groups, key=len)]]
