"""The examples of the OpenAPI document. They are true: a test posts them and compares.

The uuids of segments are minted by the server, and so differ from run to run.
"""

from typing import Any

from drf_spectacular.utils import OpenApiExample

QUESTION: dict[str, Any] = {
    "id": "6f1d3a52-0b5c-4a5e-9d35-0d6a4f0c1c11",
    "timestamp": "2026-06-01T14:00:00+02:00",
    "session_id": "late-ferry",
    "source_id": "claude-code",
    "context": {"author": {"name": "Mara"}},
    "blocks": [{"kind": "text", "text": "Why are seats on the late ferry sold twice?"}],
    "properties": {"project": "ferryline"},
}
CALL: dict[str, Any] = {
    "id": "6f1d3a52-0b5c-4a5e-9d35-0d6a4f0c1c12",
    "timestamp": "2026-06-01T14:00:07+02:00",
    "session_id": "late-ferry",
    "source_id": "claude-code",
    "context": {"author": {"name": "Claude"}},
    "blocks": [{"kind": "tool_call", "name": "Bash", "input": {"command": "pytest -q"}}],
    "properties": {"project": "ferryline", "urgent": True},
}
SEGMENT = "0197299b-4a00-7000-8000-0000000000"


def _segment(event: dict[str, Any], number: int) -> dict[str, Any]:
    return {
        "uuid": f"{SEGMENT}{number:02}",
        "event_uuid": event["id"],
        "index": 0,
        "offset": 0,
        "timestamp": event["timestamp"],
        "session_id": event["session_id"],
        "source_id": event["source_id"],
        "context": event["context"],
        "block": event["blocks"][0],
        "properties": event["properties"],
    }


def _marker(number: int) -> str:
    return f"[segment:{SEGMENT.replace('-', '')}{number:02}]"


CALL_LINE = '[Monday, June 1, 2026] Claude: "tool_call Bash: {\\"command\\":\\"pytest -q\\"}"'
DATE_ONLY = {"date_style": "full", "time_style": None}
QUERY_REQUEST: dict[str, Any] = {
    "query": "seats sold twice on the ferry",
    "limit": 1,
    "filter": "m.project = 'ferryline'",
    "rerank": None,
    "datetime_format": DATE_ONLY,
}
QUERY_ANSWER: dict[str, Any] = {
    "hits": [
        {
            "score": 0.635,
            "seed": 0,
            "segments": [_segment(QUESTION, 1), _segment(CALL, 2)],
            "text": '[session:"late-ferry"]\n'
            f"{_marker(1)} [Monday, June 1, 2026] Mara: "
            '"Why are seats on the late ferry sold twice?"\n'
            f"{_marker(2)} {CALL_LINE}",
        }
    ]
}
EXPAND_REQUEST: dict[str, Any] = {
    "anchor": f"{SEGMENT}01",
    "before": 2,
    "after": 2,
    "datetime_format": DATE_ONLY,
}
EXPAND_ANSWER: dict[str, Any] = {
    "before": [],
    "after": [_segment(CALL, 2)],
    "before_text": "",
    "after_text": f'[session:"late-ferry"]\n{_marker(2)} {CALL_LINE}',
}


def _pair(name: str, request: Any, answer: Any) -> list[OpenApiExample]:
    return [
        OpenApiExample(name, request, request_only=True),
        OpenApiExample(name, answer, response_only=True, status_codes=["200"]),
    ]


# drf-spectacular puts each into an array, as the request is one.
ADD_EVENTS = [
    *_pair("A message", QUESTION, {"stored": [QUESTION["id"]]}),
    *_pair("A tool call", CALL, {"stored": [CALL["id"]]}),
]
QUERY = _pair("A cue, within one project", QUERY_REQUEST, QUERY_ANSWER)
EXPAND = _pair("Around a segment", EXPAND_REQUEST, EXPAND_ANSWER)
