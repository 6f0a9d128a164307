"""The closed set of errors that an API of ours answers with."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Every `code` that an answer can carry; an enum in the OpenAPI document."""

    TENANT_NOT_FOUND = "tenant_not_found"
    COMPONENT_NOT_ENABLED = "component_not_enabled"
    EVENT_EXISTS = "event_exists"
    INVALID_REQUEST = "invalid_request"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    OVERLOADED = "overloaded"
    INTERNAL = "internal"


class MemMachineError(Exception):
    """A refusal with its code, its HTTP status and a message for the client."""

    code: ErrorCode
    status: int

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class TenantNotFound(MemMachineError):
    """The name was never created, or was deleted."""

    code, status = ErrorCode.TENANT_NOT_FOUND, 404


class ComponentNotEnabled(MemMachineError):
    """The tenant exists, and what was asked of it is switched off or cannot be built."""

    code, status = ErrorCode.COMPONENT_NOT_ENABLED, 404


class EventExists(MemMachineError):
    """The batch names events that the tenant holds; nothing was stored."""

    code, status = ErrorCode.EVENT_EXISTS, 409


class InvalidRequest(MemMachineError):
    """The body, a parameter or the filter is not what the route takes."""

    code, status = ErrorCode.INVALID_REQUEST, 422


class NotFound(MemMachineError):
    """An unknown path or an unknown event."""

    code, status = ErrorCode.INVALID_REQUEST, 404


class BodyTooLarge(MemMachineError):
    """The body passes the bound of the server."""

    code, status = ErrorCode.INVALID_REQUEST, 413


class Overloaded(MemMachineError):
    """More requests than the server takes on; nothing was stored."""

    code, status = ErrorCode.OVERLOADED, 503
    retry_after = 1
