"""From a block to its pieces: a table from block kind to handler.

A kind without a handler is one piece, whatever its length.
"""

from collections.abc import Callable, Iterator

from semantic_text_splitter import TextSplitter

from episodic.content.blocks import Block

MAX_PIECE = 500  # characters at most

# The splitter's cost grows with the square of a text without paragraphs, so that a long text is
# given to it by the stretch.
SPLIT_AT_ONCE = 8 * MAX_PIECE

_splitter = TextSplitter(MAX_PIECE, trim=False)


def split_text(text: str) -> Iterator[str]:
    """Pieces that are the text when concatenated, cut at the widest boundary that fits:
    paragraph, line, sentence, word, code point. An empty text is one empty piece."""
    if not text:
        yield text
    start = 0
    while start < len(text):
        pieces = _splitter.chunks(text[start : start + SPLIT_AT_ONCE])
        if start + SPLIT_AT_ONCE < len(text):
            pieces.pop()  # the stretch's end is no boundary: cut again from the last piece's start
        for piece in pieces:
            yield piece
            start += len(piece)


def _text_pieces(block: Block) -> list[Block]:
    return [{**block, "text": piece} for piece in split_text(block["text"])]


SEGMENTERS: dict[str, Callable[[Block], list[Block]]] = {"text": _text_pieces}


def pieces_of(block: Block) -> list[Block]:
    """The block's pieces in order, each a block of the same kind."""
    segmenter = SEGMENTERS.get(block["kind"])
    return segmenter(block) if segmenter else [block]


def whole(pieces: list[Block]) -> Block:
    """The block that `pieces_of` cut."""
    if len(pieces) == 1:
        return pieces[0]
    return {**pieces[0], "text": "".join(piece["text"] for piece in pieces)}
