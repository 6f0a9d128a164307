from django.urls import path

from episodic.api.views import EpisodicMemoryViewSet, EventViewSet

urlpatterns = [
    path("tenants/<str:tenant>/events", EventViewSet.as_view({"post": "create", "get": "list"})),
    path("tenants/<str:tenant>/events/delete", EventViewSet.as_view({"post": "forget"})),
    path("tenants/<str:tenant>/events/<str:id>", EventViewSet.as_view({"get": "retrieve"})),
    path("tenants/<str:tenant>/sessions", EventViewSet.as_view({"get": "sessions"})),
    path(
        "tenants/<str:tenant>/episodic-memory/query",
        EpisodicMemoryViewSet.as_view({"post": "query"}),
    ),
    path(
        "tenants/<str:tenant>/episodic-memory/expand",
        EpisodicMemoryViewSet.as_view({"post": "expand"}),
    ),
]
