"""Segments as lines: sessions, runs, markers, headers and contents."""

import json
from datetime import timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodic.rendering.lines import embedded_text, render
from episodic.rendering.timestamps import DatetimeFormat
from tests.episodic.rendering.segments import ALICE, segment
from tests.factories import START, at, injected, text, thinking, tool_call, tool_result

NO_TIME = DatetimeFormat(date_style=None, time_style=None)
DATE = DatetimeFormat(time_style=None)


def lines(*segments, ids=False, **choices) -> list[str]:
    return render(segments, datetime_format=NO_TIME, ids=ids, **choices).split("\n")


def marker(one, last=None) -> str:
    return f"[segments:{one.uuid.hex}..{last.uuid.hex}]" if last else f"[segment:{one.uuid.hex}]"


def test_nothing_renders_as_nothing():
    assert render([]) == ""


def test_a_segment_is_a_line_under_its_sessions():
    one = segment(text("Why does it hang?"), session_id="build")
    when = "Monday, June 1, 2026, 12:00:00\u202fPM UTC"
    line = f'{marker(one)} [{when}] Alice: "Why does it hang?"'
    assert render([one]) == f'[session:"build"]\n{line}'


def test_a_line_says_the_time_in_the_offset_that_the_event_came_with():
    one = segment(text("hi"))
    one.utc_offset = -5 * 3600 - 1800
    assert "6:30:00\u202fAM -0530" in render([one])


def test_without_styles_there_are_no_brackets():
    assert lines(segment(text("hi"))) == ['Alice: "hi"']


def test_adjacent_pieces_of_a_block_are_one_line():
    cut = [segment(text(words), offset=n) for n, words in enumerate(["I'll ", "run ", "it."])]
    assert lines(*cut, ids=True)[1:] == [f'{marker(cut[0], cut[2])} Alice: "I\'ll run it."']


def test_a_text_and_the_call_after_it_are_one_line():
    cut = [
        segment(text("I'll run it.")),
        segment(tool_call("Bash", command="pytest -q"), index=1),
    ]
    call = r"tool_call Bash: {\"command\":\"pytest -q\"}"
    assert lines(*cut) == [f'Alice: "I\'ll run it.{call}"']


@pytest.mark.parametrize(
    "places",
    [
        [(0, 0), (0, 2)],
        [(0, 0), (2, 0)],
        [(0, 1), (1, 1)],
        [(0, 0), (1, 1)],
    ],
)
def test_a_missing_piece_starts_a_new_line_with_its_own_header(places):
    cut = [segment(text("x"), index=index, offset=offset) for index, offset in places]
    assert lines(*cut, ids=True)[1:] == [f'{marker(one)} Alice: "x"' for one in cut]


def test_an_event_is_never_on_a_line_with_another():
    cut = [segment(text("x"), event=1), segment(text("y"), event=2, index=1)]
    assert lines(*cut) == ['Alice: "x"', 'Alice: "y"']


def test_sessions_stand_by_their_latest_time_the_latest_last():
    cut = [
        segment(text("first"), event=1, minute=0, session_id="latest"),
        segment(text("second"), event=2, minute=1, session_id="early"),
        segment(text("third"), event=3, minute=2, session_id="latest"),
    ]
    assert lines(*cut) == ['Alice: "second"', "", 'Alice: "first"', 'Alice: "third"']


def test_sessions_that_end_together_stand_by_their_ids():
    names = ["é", "a", "B", "b"]
    cut = [segment(text(name), event=n, session_id=name) for n, name in enumerate(names)]
    assert [line for line in lines(*cut) if line] == [f'Alice: "{n}"' for n in ["B", "a", "b", "é"]]


def test_without_ids_the_markers_are_left_out_and_the_blank_lines_stay():
    cut = [
        segment(text("a"), event=1, session_id="a"),
        segment(text("b"), event=2, minute=1, session_id="b"),
    ]
    one, other = (marker(each) for each in cut)
    assert lines(*cut, ids=True) == [
        *['[session:"a"]', f'{one} Alice: "a"', ""],
        *['[session:"b"]', f'{other} Alice: "b"'],
    ]
    assert lines(*cut, ids=False) == ['Alice: "a"', "", 'Alice: "b"']


TALK = [
    segment(
        text(f"{event}.{index}.{offset}"), event=event, index=index, offset=offset, minute=event
    )
    for event in range(3)
    for index in range(2)
    for offset in range(2)
]
WORLD = [*TALK, segment(text("a"), event=8, minute=1, session_id="other")]


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORLD)), st.randoms())
def test_each_segment_is_rendered_once_and_in_any_order_alike(chosen, random):
    shuffled = chosen * 2
    random.shuffle(shuffled)
    assert render(shuffled) == render([one for one in WORLD if one in chosen])


@settings(deadline=None)
@given(st.sets(st.sampled_from(range(len(TALK))), min_size=1))
def test_the_contents_are_all_that_is_given_in_timeline_order(places):
    chosen = [TALK[place] for place in sorted(places)]
    contents = [json.loads(line) for line in lines(*chosen, parts=[])]
    assert "".join(contents) == "".join(one.block["text"] for one in chosen)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ('a "b"', r'"a \"b\""'),
        ("a\nb]", r'"a\nb]"'),
        ("a\\b", r'"a\\b"'),
        ("語\u2028", '"語\u2028"'),
    ],
)
def test_a_session_is_named_by_a_json_string(name, written):
    assert lines(segment(text("x"), session_id=name), ids=True)[0] == f"[session:{written}]"


@pytest.mark.parametrize(
    ("block", "content"),
    [
        (text('彼は"はい"と言った\n改行'), r'"彼は\"はい\"と言った\n改行"'),
        (text(""), '""'),
        (text("\u2028\x85🚢\x00\x1f\t\\"), '"\u2028\x85🚢\\u0000\\u001f\\t\\\\"'),
        (thinking("hm"), '"thinking: hm"'),
        (
            tool_call("Read", b=1.0, a=["é", None]),
            r'"tool_call Read: {\"b\":1.0,\"a\":[\"é\",null]}"',
        ),
        (tool_call("Read"), '"tool_call Read: {}"'),
        (tool_result("2 passed", "Bash"), '"tool_result Bash: 2 passed"'),
        (tool_result("no", "Bash", error=True), '"tool_result Bash [error]: no"'),
        (injected("Be brief.", "reminder"), '"injected reminder: Be brief."'),
    ],
)
def test_a_content_is_one_json_string_of_the_blocks_text(block, content):
    assert lines(segment(block)) == [f"Alice: {content}"]


@pytest.mark.parametrize(
    ("context", "parts", "header"),
    [
        (ALICE, ["author"], "Alice: "),
        (ALICE, [], ""),
        (ALICE, ["workspace", "author", "mood"], "Alice: "),
        ({}, ["author"], ""),
        ({"workspace": {"name": "ferry"}, **ALICE}, ["workspace", "author"], "Alice: "),
        ({"workspace": {"name": "ferry"}}, ["workspace"], ""),
        ({"author": {"name": " Bob: "}}, ["author"], " Bob: : "),
    ],
)
def test_a_header_has_the_parts_that_are_asked_for_and_known(context, parts, header):
    assert lines(segment(text("hi"), context=context), parts=parts) == [f'{header}"hi"']


def test_a_date_alone_stands_in_brackets():
    one = segment(text("hi"), minute=-137 * 24 * 60)
    rendered = render([one], datetime_format=DATE, parts=[], ids=False)
    assert rendered == '[Thursday, January 15, 2026] "hi"'


def test_what_is_embedded_has_the_date_and_the_author_and_no_time():
    assert embedded_text(START, ALICE, 'a "b"') == '[Monday, June 1, 2026] Alice: "a \\"b\\""'
    assert embedded_text(START, {}, "a") == '[Monday, June 1, 2026] "a"'


def test_what_is_embedded_has_the_date_on_the_events_own_clock():
    moment = at(0).astimezone(timezone(timedelta(hours=14)))
    assert embedded_text(moment, {}, "a") == '[Tuesday, June 2, 2026] "a"'
