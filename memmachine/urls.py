"""Where the apps are put together."""

from django.urls import include, path
from django.views.generic import RedirectView

from memmachine.api.views import SwaggerView, healthz, openapi

urlpatterns = [
    path("", RedirectView.as_view(url="/v1/docs")),
    path("healthz", healthz),
    path("v1/openapi.json", openapi, name="openapi"),
    path("v1/docs", SwaggerView.as_view(url_name="openapi")),
    path("v1/", include("tenants.api.urls")),
    path("v1/", include("episodic.api.urls")),
]

handler404 = "memmachine.api.handlers.unknown_path"
handler500 = "memmachine.api.handlers.internal_error"
