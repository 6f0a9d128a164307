from django.urls import path

from tenants.api.views import TenantViewSet

urlpatterns = [
    path(
        "tenants/<str:tenant>",
        TenantViewSet.as_view({"put": "create", "get": "retrieve", "delete": "destroy"}),
    ),
]
