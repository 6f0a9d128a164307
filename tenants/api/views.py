from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memmachine.api.schema import TENANT, failures
from memmachine.api.views import DatabaseViewSet
from tenants import services
from tenants.api.serializers import TenantOutput
from tenants.models import Tenant
from tenants.names import check_name


@extend_schema(parameters=[TENANT], tags=["tenants"])
class TenantViewSet(DatabaseViewSet):
    """Tenants: isolated memories, each under a name of its own."""

    @extend_schema(
        operation_id="create_tenant",
        summary="Create a tenant",
        description="Safe to repeat: a tenant that exists is left as it is.",
        request=None,
        responses={
            201: OpenApiResponse(TenantOutput, "This request made it."),
            200: OpenApiResponse(TenantOutput, "It existed."),
            **failures(422),
        },
    )
    def create(self, request: Request, tenant: str) -> Response:
        made, created = services.create_tenant(tenant)
        return Response(TenantOutput(made).data, status=201 if created else 200)

    @extend_schema(
        operation_id="get_tenant",
        summary="Look a tenant up",
        responses={200: TenantOutput, **failures(404, 422)},
    )
    def retrieve(self, request: Request, tenant: str) -> Response:
        return Response(TenantOutput(Tenant.objects.named(check_name(tenant))).data)

    @extend_schema(
        operation_id="delete_tenant",
        summary="Delete a tenant and all that it holds",
        description="What it holds is hidden at once and the name is free at once.",
        responses={
            204: OpenApiResponse(description="There is no such tenant now."),
            **failures(422),
        },
    )
    def destroy(self, request: Request, tenant: str) -> Response:
        services.delete_tenant(tenant)
        return Response(status=204)
