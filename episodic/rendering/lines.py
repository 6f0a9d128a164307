"""Segments as the text that a reader is given.

    [session:"build"]
    [segment:0197…] [Monday, June 1, 2026, 12:00:00 PM UTC] Alice: "Why does it hang?"

One block a session, the one that was latest at work last; one line a segment, or a run of
adjacent pieces of one event. `api.md`, Rendering, states the format.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from episodic.content.blocks import text_of
from episodic.content.context import Context, part_texts
from episodic.models import Segment
from episodic.rendering.timestamps import DatetimeFormat
from memmachine.texts import compact_json

DEFAULT_FORMAT = DatetimeFormat()
DEFAULT_PARTS = ("author",)

# The header of the text that is embedded: no time, which would set apart what is alike.
EMBEDDED_FORMAT = DatetimeFormat(time_style=None)


def render(
    segments: Iterable[Segment],
    *,
    datetime_format: DatetimeFormat = DEFAULT_FORMAT,
    parts: Sequence[str] = DEFAULT_PARTS,
    ids: bool = True,
) -> str:
    """The segments in timeline order, each once, whatever order they are given in.

    Without `ids`, as a reranker reads it, the session lines and the markers are left out.
    """
    sessions: dict[str, list[Segment]] = defaultdict(list)
    for segment in {segment.pk: segment for segment in segments}.values():
        sessions[segment.session_id].append(segment)
    for session in sessions.values():
        session.sort(key=lambda segment: segment.position)
    latest_last = sorted(sessions.items(), key=lambda item: (item[1][-1].timestamp, item[0]))
    blocks = []
    for session_id, session in latest_last:
        lines = [f"[session:{compact_json(session_id)}]"] if ids else []
        for run in runs(session):
            marker = marker_of(run) + " " if ids else ""
            head = header(run[0].moment, run[0].context, datetime_format, parts)
            content = "".join(text_of(segment.block) for segment in run)
            lines.append(marker + head + compact_json(content))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def runs(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    """Consecutive pieces of one event, out of segments in timeline order."""
    run: list[Segment] = []
    for segment in segments:
        if run and not _follows(segment, run[-1]):
            yield run
            run = []
        run.append(segment)
    if run:
        yield run


def _follows(segment: Segment, previous: Segment) -> bool:
    return segment.event_uuid == previous.event_uuid and (segment.index, segment.offset) in {
        (previous.index, previous.offset + 1),
        (previous.index + 1, 0),
    }


def marker_of(run: Sequence[Segment]) -> str:
    """The handle by which a reader asks for what is around a run."""
    if len(run) == 1:
        return f"[segment:{run[0].uuid.hex}]"
    return f"[segments:{run[0].uuid.hex}..{run[-1].uuid.hex}]"


def header(
    moment: datetime, context: Context, datetime_format: DatetimeFormat, parts: Iterable[str]
) -> str:
    """What stands before a line's content: when it was, and the named parts of its context."""
    when = datetime_format.text(moment)
    stamp = f"[{when}] " if when else ""
    return stamp + "".join(f"{text}: " for text in part_texts(context, parts))


def embedded_text(moment: datetime, context: Context, words: str) -> str:
    """What is embedded for words of an event: its date and author stand before them."""
    return header(moment, context, EMBEDDED_FORMAT, DEFAULT_PARTS) + compact_json(words)
