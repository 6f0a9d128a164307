"""A text's pieces: they are the text, and they end where a reader would pause."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.processing.segmenting import MAX_PIECE, pieces_of, split_text, whole
from tests.factories import injected, text, thinking, tool_call, tool_result

FAMILY = "👩‍👩‍👧‍👦"
SENTENCE = "The ferry sold its seats twice. "
scraps = st.one_of(
    st.sampled_from(
        ["\n\n", "\n", "\r\n", " ", "\t", ". ", "。", "、", "…", SENTENCE, "word", "語"]
    ),
    st.sampled_from(["a" * 499, "b" * 500, "c" * 501, "語" * 300, FAMILY * 40, "e\u0301" * 99]),
    st.text(max_size=30),
)
texts = st.lists(scraps, max_size=60).map("".join)


@settings(deadline=None)
@given(texts)
def test_the_pieces_are_the_text_and_none_is_longer_than_500(words):
    pieces = list(split_text(words))
    assert "".join(pieces) == words
    assert all(0 < len(piece) <= MAX_PIECE for piece in pieces) or pieces == [""]


@settings(deadline=None, max_examples=30)
@given(texts)
def test_a_text_is_cut_the_same_way_twice(words):
    assert list(split_text(words)) == list(split_text(words))


@settings(deadline=None)
@given(texts)
def test_the_pieces_of_a_block_make_the_block_again(words):
    pieces = pieces_of(text(words))
    assert {piece["kind"] for piece in pieces} == {"text"}
    assert whole(pieces) == text(words)


def test_an_empty_text_is_one_empty_piece():
    assert pieces_of(text("")) == [text("")]


@pytest.mark.parametrize("words", ["hello", " ", "a" * 500, "語" * 500, "a\n\nb\n\nc"])
def test_a_text_of_at_most_500_characters_is_one_piece(words):
    assert pieces_of(text(words)) == [text(words)]


@pytest.mark.parametrize(
    "block",
    [
        thinking("a\n\n" * 999),
        tool_call(command="a\n\n" * 999),
        tool_result("a\n\n" * 999),
        injected("a\n\n" * 999),
    ],
)
def test_a_block_of_another_kind_is_one_piece_whatever_its_length(block):
    assert pieces_of(block) == [block]


# Each text has boundaries of the kinds named and of all below, the widest at `cut` alone.
BOUNDARIES = {
    "paragraph": (
        "One. Two three.\nFour five.\n" * 10,
        "\n",
        "Six. Seven eight.\nNine ten.\n" * 14,
    ),
    "line": ("One two. Three four. " * 14, "\n", "Five six. Seven eight. " * 18),
    "sentence": ("one two three " * 20 + "four. ", "", "Five six seven " * 24),
    "word": ("a" * 300 + " ", "", "b" * 400),
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_text_is_cut_at_its_widest_boundary(boundary):
    before, mark, after = BOUNDARIES[boundary]
    first = next(split_text(before + mark + after))
    assert first.rstrip() == before.rstrip()


def test_a_word_longer_than_a_piece_is_cut_where_it_must():
    assert list(map(len, split_text("a" * 1_200))) == [500, 500, 200]


def test_chinese_is_cut_after_a_sentence():
    sentence = "渡轮把同一个座位卖了两次。"
    pieces = list(split_text(sentence * 100))
    assert all(piece.endswith("。") for piece in pieces)


@pytest.mark.parametrize("cluster", [FAMILY, "🇩🇪", "e\u0301", "👍🏽", "\r\n"])
def test_what_is_seen_as_one_character_is_not_cut(cluster):
    pieces = list(split_text(cluster * 600))
    assert all(len(piece) % len(cluster) == 0 for piece in pieces)


@pytest.mark.parametrize(
    "unit", ["a", "a ", "\n", "\u0301", "語", FAMILY, "🇩🇪", ". ", "a\u0301b. \n"]
)
def test_a_mebibyte_is_cut_in_no_time(unit):
    words = unit * (1024**2 // len(unit.encode()))
    start = time.process_time()
    assert sum(map(len, split_text(words))) == len(words)
    assert time.process_time() - start < 3
