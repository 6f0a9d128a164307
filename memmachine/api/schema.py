"""What the OpenAPI document says of every route alike."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from memmachine.errors import ErrorCode

# OPTIONS is none of them: a page of another origin has no business here.
METHODS = ["get", "put", "post", "delete", "head"]

TENANT = OpenApiParameter(
    "tenant",
    OpenApiTypes.STR,
    OpenApiParameter.PATH,
    description="The tenant's name, percent-encoded: 1 to 255 bytes of UTF-8 without control"
    " characters, other than `.` and `..`. An encoded slash addresses no route.",
)


ERROR_CODES = [code.value for code in ErrorCode]


class ErrorDetail(serializers.Serializer[Any]):
    """Why a request was refused."""

    code = serializers.ChoiceField(
        choices=ERROR_CODES,
        help_text="What happened, from a closed set.",
    )
    message = serializers.CharField(help_text="What happened, for a person.")


class ErrorOutput(serializers.Serializer[Any]):
    """The one envelope of every answer that is not a success."""

    error = ErrorDetail(help_text="The refusal.")


MEANINGS = {
    404: "No such tenant, or what was asked of it is switched off, or no such thing in it.",
    409: "The batch names events that the tenant holds; nothing was stored.",
    413: "The body is too large.",
    415: "The body is not `application/json`.",
    422: "The request is not what the route takes; the message lists every failing place.",
    500: "A fault of the server; nothing was stored.",
    503: "More requests than the server takes on; nothing was stored. See `Retry-After`.",
}


def failures(*statuses: int, body: bool = False) -> dict[int, OpenApiResponse]:
    """The failures of a route: those given, those of any body, and those of any route."""
    every = {*statuses, 500, 503, *((413, 415) if body else ())}
    return {status: OpenApiResponse(ErrorOutput, MEANINGS[status]) for status in sorted(every)}
