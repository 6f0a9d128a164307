"""A bound on the bodies that reach Django, which would spool them to disk whatever their size."""

from collections.abc import MutableMapping
from typing import Any

from django.conf import settings

from memmachine.errors import BodyTooLarge
from memmachine.front_door import refuse

Message = MutableMapping[str, Any]


class BodyLimit:
    """Answer 413 to a body over `MEMMACHINE_MAX_BODY_BYTES`; hand on any other, whole.

    The length of what came in chunks is written into the request's headers, since DRF takes a
    body without a length for none.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = settings.MEMMACHINE_MAX_BODY_BYTES
        body, size, more = bytearray(), 0, True
        # What is too large is read on, up to a point, and dropped: a client that is still
        # sending would see a reset connection and not the answer.
        while more and size <= 4 * limit:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            chunk = message.get("body", b"")
            size += len(chunk)
            more = message.get("more_body", False)
            if size <= limit:
                body += chunk
        if size > limit:
            bound = f"body: at most {limit} bytes (MEMMACHINE_MAX_BODY_BYTES)"
            await refuse(send, BodyTooLarge(bound))
            return
        if size and not any(name == b"content-length" for name, _ in scope["headers"]):
            length = (b"content-length", str(size).encode())
            scope = {**scope, "headers": [*scope["headers"], length]}
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> Any:
            return whole.pop() if whole else await receive()

        await self.app(scope, replay, send)
