from collections.abc import Awaitable, Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import async_only_middleware

View = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@async_only_middleware
def content_length(get_response: View) -> View:
    """Say how long an answer is, as Django's CommonMiddleware does, but without its thread hops:
    an answer of unknown length goes out in chunks, which HTTP/1.0 does not know."""

    async def middleware(request: HttpRequest) -> HttpResponseBase:
        response = await get_response(request)
        if not response.streaming and not response.has_header("Content-Length"):
            response["Content-Length"] = str(len(response.content))  # type: ignore[attr-defined]
        return response

    return middleware
