"""Every answer that is not a success, as the one envelope `{"error": {"code", "message"}}`."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from psycopg_pool import PoolTimeout, TooManyRequests
from rest_framework import exceptions
from rest_framework.views import set_rollback

from memmachine.api.parsing import MAX_KEY, MAX_PLACES
from memmachine.errors import ErrorCode, InvalidRequest, MemMachineError, NotFound, Overloaded
from memmachine.texts import compact_json


def envelope(code: ErrorCode, message: str, status: int) -> HttpResponse:
    body = compact_json({"error": {"code": code, "message": message}})
    return HttpResponse(body, status=status, content_type="application/json")


def refuse(error: MemMachineError) -> HttpResponse:
    """The answer to what is refused outside of DRF's views as well as inside."""
    response = envelope(error.code, error.message, error.status)
    if isinstance(error, Overloaded):
        response["Retry-After"] = str(error.retry_after)
    return response


def exception_handler(exc: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """DRF's hook: our own errors and DRF's; None for a bug, which Django logs and answers 500."""
    set_rollback()
    if isinstance(exc, MemMachineError):
        return refuse(exc)
    if isinstance(exc, exceptions.ValidationError):
        return refuse(InvalidRequest(places(exc.detail)))
    if isinstance(exc, exceptions.APIException):
        error = InvalidRequest(str(exc.detail))
        # Of DRF's own errors, a body that does not parse is the contract's 422.
        error.status = 422 if isinstance(exc, exceptions.ParseError) else exc.status_code
        response = refuse(error)
        if isinstance(exc, exceptions.MethodNotAllowed):
            response["Allow"] = ", ".join(context["view"].allowed_methods)
        return response
    if isinstance(exc.__cause__, PoolTimeout | TooManyRequests):
        return refuse(Overloaded("The server is busy: no database connection became free in time."))
    return None


def places(detail: Any) -> str:
    """Every failing place of a DRF error as `path.to.field: what it wants`, joined with `; `.

    Under the key "" (the setting NON_FIELD_ERRORS_KEY) stands what is wrong with the whole.
    """
    return "; ".join(islice(_places(detail, ""), MAX_PLACES))


def _places(detail: Any, path: str) -> Iterator[str]:
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from _places(inner, f"{path}.{str(key)[:MAX_KEY]}" if key != "" else path)
    elif isinstance(detail, list):
        nested = any(isinstance(inner, dict | list) for inner in detail)
        for index, inner in enumerate(detail):
            yield from _places(inner, f"{path}.{index}" if nested else path)
    elif detail:
        yield f"{path.lstrip('.') or 'body'}: {detail}"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(InvalidRequest("The request cannot be understood."))


def unknown_path(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(NotFound("No such path."))


def internal_error(request: HttpRequest) -> HttpResponse:
    return envelope(ErrorCode.INTERNAL, "Internal server error", 500)
