"""Which texts can name a tenant."""

from memmachine.errors import InvalidRequest
from memmachine.texts import has_controls

MAX_NAME_BYTES = 255


def check_name(name: str) -> str:
    """`name`, or InvalidRequest where a path segment could not carry it."""
    if not 1 <= len(name.encode()) <= MAX_NAME_BYTES:
        raise InvalidRequest(f"tenant: 1 to {MAX_NAME_BYTES} bytes of UTF-8 are wanted")
    if name in {".", ".."}:
        raise InvalidRequest("tenant: a name other than `.` and `..` is wanted")
    if has_controls(name):
        raise InvalidRequest("tenant: a name without control characters is wanted")
    return name
