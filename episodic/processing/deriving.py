"""From a piece to the texts that are embedded for it: a table from block kind to handler.

A kind without a handler has none: it is not searched.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from episodic.content.blocks import Block
from episodic.processing.segmenting import MAX_PIECE

SHORT = 32  # characters; a sentence shorter than this is joined to the one before

# At most this many derivatives has one segment: each but the first is SHORT or longer.
MAX_DERIVATIVES = 1 + MAX_PIECE // SHORT

# Latin sentences end before a blank, CJK ones need none; a line's end ends either. The possessive
# quantifiers keep a row of marks from costing the square of its length.
SENTENCE = re.compile(
    r"""[^\n](?:[^\n.!?…。！？]|[.!?…]++["'’”)\]]*+(?!\s))*+"""
    r"""(?:[.!?…]+["'’”)\]]*|[。！？]+[」』”）]*)?"""
)


class Span(NamedTuple):
    """Where words stand in a piece's text, in code points."""

    start: int
    stop: int


def sentences(text: str) -> list[Span]:
    """The spans of a text's sentences, without the blanks around them.

    Short ones are joined to the one before, and so is what holds no letter and no digit; a text
    without either has no sentence.
    """
    spans: list[Span] = []
    for span in _raw_sentences(text):
        words = text[span.start : span.stop]
        if spans and (len(words) < SHORT or not searchable(words)):
            spans[-1] = Span(spans[-1].start, span.stop)
        elif searchable(words):
            spans.append(span)
    return spans


def _raw_sentences(text: str) -> Iterator[Span]:
    for match in SENTENCE.finditer(text):
        sentence = match.group()
        start = match.start() + len(sentence) - len(sentence.lstrip())
        stop = match.start() + len(sentence.rstrip())
        if start < stop:
            yield Span(start, stop)


def searchable(text: str) -> bool:
    """Whether a text holds a letter or a digit."""
    return any(character.isalnum() for character in text)


def _text_spans(block: Block) -> list[Span]:
    return sentences(block["text"])


DERIVERS: dict[str, Callable[[Block], list[Span]]] = {"text": _text_spans}


def spans_of(piece: Block) -> list[Span]:
    """Where in a piece the words of each of its derivatives stand."""
    deriver = DERIVERS.get(piece["kind"])
    return deriver(piece) if deriver else []
