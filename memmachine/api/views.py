"""The routes that belong to no app."""

import json
from functools import cache
from typing import Any

from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from memmachine.api.schema import METHODS


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process serves requests."""
    return HttpResponse("ok\n", content_type="text/plain")


@cache
def openapi_document() -> bytes:
    """The OpenAPI document that the code generates, as indented JSON."""
    generator: Any = SchemaGenerator
    schema = generator().get_schema(request=None, public=True)
    rendered = OpenApiJsonRenderer().render(schema, renderer_context={})
    return json.dumps(json.loads(rendered), indent=2, ensure_ascii=False).encode() + b"\n"


class OpenApiView(APIView):
    """The OpenAPI document, as JSON whatever the request accepts."""

    http_method_names = METHODS

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(openapi_document(), content_type="application/json")


class DatabaseViewSet(ViewSet):
    """Views that hold one of the pool's connections for no longer than they work.

    Django gives it back after the answer is sent: a client that reads slowly would keep it, and
    one that asks again at once would find it taken.
    """

    http_method_names = METHODS

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:  # that of a test's
                connection.close()
        return super().finalize_response(request, response, *args, **kwargs)
