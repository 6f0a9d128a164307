"""Which texts can be kept and shown, and how JSON is written."""

import json
import unicodedata
from typing import Any

_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def text_fault(text: str) -> str | None:
    """Why a text cannot be stored as UTF-8 in PostgreSQL, or None."""
    if "\0" in text:
        return "a NUL character cannot be stored"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "a lone surrogate cannot be stored"
    return None


def has_controls(text: str) -> bool:
    """Whether a text holds a control character (Unicode's category Cc)."""
    return any(unicodedata.category(character) == "Cc" for character in text)


def compact_json(value: Any) -> str:
    """JSON without blanks, non-ASCII kept, keys in the order given."""
    return _compact(value)
