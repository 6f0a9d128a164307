"""JSON in, strictly: what JSON, PostgreSQL or UTF-8 cannot say is refused where it stands."""

import json
import math
import re
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from memmachine.errors import InvalidRequest
from memmachine.texts import text_fault

# A tool's input stands inside its block, the blocks, the event and the batch: the bound is the
# input's own, and what surrounds it comes on top.
ENVELOPE_DEPTH = 4

# A refusal is no larger for being hostile: so many places, and so much of a key that is named.
MAX_PLACES = 1_000
MAX_KEY = 64

# A NUL or a surrogate, which JSON can only say with an escape.
SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")


class AlwaysJson(BaseContentNegotiation):
    """The API speaks JSON and nothing else, whatever the request accepts."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser | None:
        media_type = (request.content_type or "").split(";", 1)[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media_type), None)

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class StrictJsonParser(BaseParser):
    """RFC 8259, plus: no NUL, no lone surrogate, no number that is not finite, bounded nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None
    ) -> Any:
        body = stream.read()
        infinite = False

        def number(text: str) -> float:
            nonlocal infinite
            infinite = infinite or not math.isfinite(value := float(text))
            return value

        try:
            value = json.loads(body.decode(), parse_float=number, parse_constant=number)
        except UnicodeDecodeError as error:
            raise ParseError(f"body: UTF-8 is wanted, byte {error.start} is not") from error
        except RecursionError as error:
            raise ParseError(f"body: {_too_deep()}") from error
        except ValueError as error:
            raise ParseError(f"body: malformed JSON: {error}") from error
        # What is wrong is looked for, place by place, only where something may be.
        suspect = infinite or SUSPECT.search(body) or _is_deep(value)
        if suspect and (faults := storable_faults(value)):
            raise InvalidRequest("; ".join(faults))
        return value


def storable_faults(value: Any) -> list[str]:
    """Where a JSON value holds what cannot be stored, as `path.to.field: what is wrong`."""
    faults: list[str] = []
    depth_bound = _depth_bound()
    # An explicit stack: the nesting is the client's. A path is a chain of (parent, key) pairs,
    # spelt out only where something is wrong.
    stack: list[tuple[Any, int, tuple[Any, Any] | None]] = [(value, 0, None)]
    while stack and len(faults) < MAX_PLACES:
        node, depth, path = stack.pop()
        if isinstance(node, str):
            if fault := text_fault(node):
                faults.append(f"{_spell(path)}: {fault}")
        elif isinstance(node, float):
            if not math.isfinite(node):
                faults.append(f"{_spell(path)}: a finite number is wanted")
        elif isinstance(node, dict | list):
            if depth == depth_bound:
                return [f"{_spell(path)}: {_too_deep()}"]
            if isinstance(node, list):
                children = list(enumerate(node))
            else:
                children = list(node.items())
                stack.extend((key, depth, (path, "(key)")) for key in node)
            stack.extend((child, depth + 1, (path, key)) for key, child in reversed(children))
    return faults


def _is_deep(value: Any) -> bool:
    """Whether a JSON value is nested past the bound."""
    level = [value]
    for _ in range(_depth_bound() + 1):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def _depth_bound() -> int:
    bound: int = settings.MEMMACHINE_MAX_JSON_DEPTH + ENVELOPE_DEPTH
    return bound


def _too_deep() -> str:
    bound = settings.MEMMACHINE_MAX_JSON_DEPTH
    return f"at most {bound} levels of nested JSON (MEMMACHINE_MAX_JSON_DEPTH)"


def _spell(path: tuple[Any, Any] | None) -> str:
    keys: list[str] = []
    while path is not None:
        path, key = path
        keys.append(str(key)[:MAX_KEY].encode("ascii", "backslashreplace").decode())
    return ".".join(reversed(keys)) or "body"
