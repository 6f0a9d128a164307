"""Where the apps are put together."""

from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerView

from memmachine.api.views import OpenApiView, healthz

urlpatterns = [
    path("", RedirectView.as_view(url="/v1/docs")),
    path("healthz", healthz),
    path("v1/openapi.json", OpenApiView.as_view(), name="openapi"),
    path("v1/docs", SpectacularSwaggerView.as_view(url_name="openapi")),
    path("v1/", include("tenants.api.urls")),
    path("v1/", include("episodic.api.urls")),
]

handler400 = "memmachine.api.handlers.bad_request"
handler404 = "memmachine.api.handlers.unknown_path"
handler500 = "memmachine.api.handlers.internal_error"
