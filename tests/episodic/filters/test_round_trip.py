"""A tree that is written parses back to itself, and no text breaks the parser."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.filters.parsing import FilterError, parse
from tests.episodic.filters.strategies import spelt, trees

keys = st.from_regex(r"[a-z0-9_]{1,32}", fullmatch=True).filter(
    lambda key: not key.startswith("memmachine_")
)
awkward = ["in", "null", "not", "true", "timestamp", "m", "date", "0", "_"]
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def unfolded(moment: datetime) -> datetime:
    """Without the bit that no text says."""
    return moment.replace(fold=0)


zones = st.sampled_from([UTC, timezone(timedelta(hours=-5, minutes=-30))])
any_tree = trees(
    keys | st.sampled_from(awkward),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts | st.sampled_from([*awkward, "it's", '"', "''", "%s", "\\", "ıs", "falſe"]),
    st.datetimes(timezones=zones).filter(lambda moment: 1 < moment.year < 9999).map(unfolded),
)
tokens = st.one_of(
    st.sampled_from(["m.a", "metadata.b", "timestamp", "x", "'x'", "1", "-1.5e9", "true", "é"]),
    st.sampled_from(["and", "OR", "not", "in", "is", "null", "date"]),
    st.sampled_from(["(", ")", ",", "=", "!=", "<>", "<", ">=", "'", '"', ".", "\n"]),
)


@settings(max_examples=300, deadline=None)
@given(any_tree, st.data())
def test_a_tree_parses_back_from_any_of_its_spellings(tree, data):
    assert repr(parse(spelt(data.draw, tree))) == repr(tree)


def taken(text: str) -> bool:
    try:
        parse(text)
    except FilterError:
        return False
    return True


@settings(max_examples=500, deadline=None)
@given(st.text(st.characters(), max_size=200) | st.lists(tokens, max_size=60).map(" ".join))
def test_a_text_parses_or_is_refused(text):
    assert taken(text) in {True, False}


@settings(max_examples=150, deadline=None)
@given(any_tree, st.data())
def test_an_expression_with_a_character_changed_parses_or_is_refused(tree, data):
    text = spelt(data.draw, tree)
    place = data.draw(st.integers(0, len(text)))
    changed = data.draw(st.sampled_from(["", "'", '"', "(", ")", " ", "\ud800", "\0", "9", "."]))
    assert taken(text[:place] + changed + text[place + 1 :]) in {True, False}
