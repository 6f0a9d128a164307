"""A piece's sentences: where in it the words stand that are embedded."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.processing.deriving import MAX_DERIVATIVES, SHORT, searchable, sentences, spans_of
from episodic.processing.segmenting import MAX_PIECE
from tests.factories import injected, text, thinking, tool_call, tool_result

LONG = "The ferry sold its seats to us twice"
scraps = st.one_of(
    st.sampled_from(
        [". ", "! ", "?\n", "\n", "\n\n", "。", "！」", "…", '." ', ".) ", " ", "...", "x"]
    ),
    st.sampled_from([LONG, LONG + ". ", LONG + "。", "Yes. ", "3.5", "e.g. ", "渡轮把座位卖了。"]),
    st.text(max_size=10),
)
pieces = st.lists(scraps, max_size=40).map(lambda words: "".join(words)[:MAX_PIECE])


def said(words: str) -> list[str]:
    return [words[start:stop] for start, stop in sentences(words)]


@settings(deadline=None)
@given(pieces)
def test_spans_are_in_order_inside_the_text_and_do_not_overlap(words):
    spans = sentences(words)
    assert all(0 <= start < stop <= len(words) for start, stop in spans)
    assert all(one.stop <= other.start for one, other in pairwise(spans))


@settings(deadline=None)
@given(pieces)
def test_every_letter_and_digit_is_in_a_span(words):
    covered = {place for start, stop in sentences(words) for place in range(start, stop)}
    assert all(place in covered for place, char in enumerate(words) if char.isalnum())


@settings(deadline=None)
@given(pieces)
def test_a_span_holds_a_letter_or_a_digit_and_no_blanks_around(words):
    assert all(searchable(sentence) for sentence in said(words))
    assert all(sentence == sentence.strip() for sentence in said(words))


@settings(deadline=None)
@given(pieces)
def test_a_span_but_the_first_is_not_short(words):
    assert all(len(sentence) >= SHORT for sentence in said(words)[1:])


@settings(deadline=None)
@given(pieces)
def test_a_piece_has_a_bounded_number_of_spans(words):
    assert len(sentences(words)) <= MAX_DERIVATIVES


def test_as_many_spans_as_the_bound_allows_fit_into_a_piece():
    words = "a。" + ("b" * (SHORT - 1) + "。") * (MAX_DERIVATIVES - 1)
    assert len(words) <= MAX_PIECE
    assert len(sentences(words)) == MAX_DERIVATIVES


@pytest.mark.parametrize("words", ["", " ", "\n\n", "...", "!?", "— 🚢 —", "。。。"])
def test_a_text_without_letter_or_digit_has_no_span(words):
    assert spans_of(text(words)) == []


@pytest.mark.parametrize("words", ["x", "5", "語", "é", "  x  ", "(x)"])
def test_a_text_with_a_letter_or_a_digit_has_one(words):
    assert said(words) == [words.strip()]


@pytest.mark.parametrize(
    "block", [thinking(LONG), tool_call(command=LONG), tool_result(LONG), injected(LONG)]
)
def test_a_block_of_another_kind_has_no_span(block):
    assert spans_of(block) == []


@pytest.mark.parametrize(
    "end", [". ", "! ", "? ", "… ", '." ', ".) ", "...  ", "。", "！」", "\n", "\n\n"]
)
def test_a_sentence_ends_there(end):
    other = "Then more of the seats were sold to others"
    assert said(LONG + end + other) == [LONG + end.rstrip(), other]


@pytest.mark.parametrize("middle", [".", ",", ".5 and ", "?x", ". ok", ".\n…", " "])
def test_a_sentence_does_not_end_there(middle):
    assert said(LONG + middle) == [(LONG + middle).rstrip()]


def test_a_short_sentence_is_joined_to_the_one_before():
    assert said(f"{LONG}. Yes. No. {LONG}.") == [f"{LONG}. Yes. No.", f"{LONG}."]


def test_a_short_first_sentence_stands_alone():
    assert said(f"Yes. {LONG}.") == ["Yes.", f"{LONG}."]


def test_what_cannot_be_searched_is_dropped_at_the_start_and_joined_later():
    rule = "-" * SHORT
    assert said(f"{rule}\n{LONG}\n{rule}") == [f"{LONG}\n{rule}"]


@pytest.mark.parametrize("unit", [".", "!?", ".)", "a", "。", ". ", "\n", " "])
def test_a_mebibyte_of_pieces_is_read_in_no_time(unit):
    piece = (unit * MAX_PIECE)[:MAX_PIECE]
    start = time.process_time()
    for _ in range(2_098):
        sentences(piece)
    assert time.process_time() - start < 3
