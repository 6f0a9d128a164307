"""A tenant's memory as plain Python, to hold the real one against."""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from episodic.content.blocks import Block
from episodic.content.events import NewEvent
from episodic.embedders import Embedder
from episodic.filters.tree import (
    And,
    Comparison,
    Membership,
    Node,
    Not,
    Or,
    Presence,
    TimeComparison,
    TimePresence,
)
from episodic.position import Position
from episodic.processing.deriving import spans_of
from episodic.processing.segmenting import pieces_of
from episodic.recall.selection import Selection
from episodic.rendering.lines import embedded_text

REACH = 1_000
OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Piece:
    """What a segment is: a piece of a block of an event."""

    event: NewEvent
    index: int
    offset: int
    block: Block

    @property
    def position(self) -> Position:
        return Position(self.event.timestamp, self.event.id, self.index, self.offset)

    @property
    def searchable(self) -> bool:
        return bool(spans_of(self.block))


def timeline(events: Iterable[NewEvent]) -> list[Piece]:
    """All pieces, ordered by instant, event uuid, index and offset."""
    pieces = [
        Piece(event, index, offset, block)
        for event in events
        for index, whole in enumerate(event.blocks)
        for offset, block in enumerate(pieces_of(whole))
    ]
    return sorted(pieces, key=lambda piece: piece.position)


def selects(selection: Selection, event: NewEvent, kinds: set[str]) -> bool:
    """Whether every condition holds; `kinds` are those that may stand in `block_kinds`."""
    return (
        (selection.session_ids is None or event.session_id in selection.session_ids)
        and (selection.source_ids is None or event.source_id in selection.source_ids)
        and (selection.block_kinds is None or not kinds.isdisjoint(selection.block_kinds))
        and (selection.since is None or event.timestamp >= selection.since)
        and (selection.until is None or event.timestamp < selection.until)
        and (selection.filter is None or satisfies(selection.filter, event))
    )


def selected(selection: Selection, pieces: Iterable[Piece]) -> list[Piece]:
    return [piece for piece in pieces if selects(selection, piece.event, {piece.block["kind"]})]


def satisfies(node: Node, event: NewEvent) -> bool:
    """What a filter's tree says of an event."""
    match node:
        case And(operands):
            return all(satisfies(operand, event) for operand in operands)
        case Or(operands):
            return any(satisfies(operand, event) for operand in operands)
        case Not(operand):
            return not satisfies(operand, event)
        case Presence(key, present):
            return (key in event.properties) is present
        case TimeComparison(sign, value):
            return OPERATORS[sign](event.timestamp, value)
        case TimePresence(present):
            return present
        case Comparison(key, sign, value):
            held = event.properties.get(key)
            return _type(held) == _type(value) and OPERATORS[sign](held, value)
        case Membership(key, values, negated):
            held = event.properties.get(key)
            return _type(held) == _type(values[0]) and (held in values) is not negated


def _type(value: Any) -> str:
    return "number" if type(value) in {int, float} else type(value).__name__


def walk(
    pieces: Sequence[Piece], seed: Position, before: int, after: int, selection: Selection
) -> tuple[list[Piece], list[Piece]]:
    """The sides of a seed in its session: the nearest that are selected, among the REACH nearest
    of a side. `pieces` is the whole timeline."""
    (session_id,) = {piece.event.session_id for piece in pieces if piece.position == seed}
    session = [piece for piece in pieces if piece.event.session_id == session_id]
    selection = selection.of_neighbours()
    earlier = [piece for piece in session if piece.position < seed][-REACH:]
    later = [piece for piece in session if piece.position > seed][:REACH]
    kept = selected(selection, earlier)
    return kept[max(len(kept) - before, 0) :], selected(selection, later)[:after]


def events(held: Iterable[NewEvent], selection: Selection) -> list[NewEvent]:
    """The events selected, in timeline order; of a kind are those with a block of it."""
    ordered = sorted(held, key=lambda event: (event.timestamp, event.id))
    return [e for e in ordered if selects(selection, e, {block["kind"] for block in e.blocks})]


def sessions(held: Iterable[NewEvent]) -> list[tuple[Any, ...]]:
    """(id, events, first, last) of each session, the latest first, then by id."""
    times: dict[str, list[Any]] = {}
    for event in held:
        times.setdefault(event.session_id, []).append(event.timestamp)
    rows = [(id, len(found), min(found), max(found)) for id, found in sorted(times.items())]
    return sorted(rows, key=lambda row: row[-1], reverse=True)


def similarity(embedder: Embedder, cue: str, piece: Piece) -> float:
    """The cosine of the piece's best sentence with the cue, in float64."""
    event, words = piece.event, piece.block["text"]
    texts = [
        embedded_text(event.timestamp, event.context, words[start:stop])
        for start, stop in spans_of(piece.block)
    ]
    target, *sentences = embedder.embed([cue, *texts]).astype(np.float64)
    norm = np.linalg.norm
    return max(float(target @ each / (norm(target) * norm(each) or 1)) for each in sentences)
