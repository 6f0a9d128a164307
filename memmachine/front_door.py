"""What is decided on a request before Django sees it."""

from typing import Any
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from memmachine.api import handlers
from memmachine.errors import InvalidRequest, MemMachineError, NotFound


class FrontDoor:
    """Answer only to known host names, and route by the path as it was sent.

    A web page could otherwise reach a server on a loopback address by giving its own name that
    address. And ASGI servers decode `%2F` to a slash, by which a tenant's name would address
    another route, and replace what is not UTF-8, by which two names would be one.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            try:
                check_host(scope["headers"])
                scope = {**scope, "path": exact_path(scope["raw_path"])}
                decoded(scope["query_string"], "query")
            except MemMachineError as error:
                await refuse(send, error)
                return
        await self.app(scope, receive, send)


def check_host(headers: list[tuple[bytes, bytes]]) -> None:
    """InvalidRequest unless the Host header holds a name of ALLOWED_HOSTS."""
    host = next((value for name, value in headers if name == b"host"), b"").decode("latin-1")
    domain, _ = split_domain_port(host)
    if not (domain and validate_host(domain, settings.ALLOWED_HOSTS)):
        raise InvalidRequest("Host: not a name that this server answers to")


def exact_path(raw_path: bytes) -> str:
    """The path decoded once; refused where it has an encoded slash or is not UTF-8."""
    raw_path = raw_path.split(b"?", 1)[0]
    if b"%2f" in raw_path.lower():
        raise NotFound("No such path: an encoded slash addresses no route.")
    return decoded(raw_path, "path")


def decoded(raw: bytes, part: str) -> str:
    """A part of the address, percent-decoded; InvalidRequest where it is not UTF-8."""
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise InvalidRequest(f"{part}: UTF-8 is wanted after percent-decoding") from None


async def refuse(send: Any, error: MemMachineError) -> None:
    """Answer with a refusal, in place of the application."""
    answer = handlers.refuse(error)
    answer["Content-Length"] = str(len(answer.content))
    headers = [(name.lower().encode(), value.encode()) for name, value in answer.items()]
    start = {"type": "http.response.start", "status": answer.status_code, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": answer.content})
