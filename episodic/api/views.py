from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from episodic.api import answers, examples
from episodic.api.serializers import (
    EventInput,
    ExpandInput,
    ForgetInput,
    ListEventsInput,
    PageInput,
    QueryInput,
)
from episodic.memory import EventMemory
from memmachine.api.fields import Uuid, at_most
from memmachine.api.schema import TENANT, failures
from memmachine.api.views import DatabaseViewSet
from memmachine.errors import InvalidRequest
from memmachine.texts import compact_json
from tenants.names import check_name

# Validation keeps no state, so one instance serves all requests; DRF's way, an instance a
# request, copies every field anew.
VALIDATORS: dict[type[serializers.Serializer[Any]], serializers.Serializer[Any]] = {
    serializer: serializer()
    for serializer in (ForgetInput, PageInput, ListEventsInput, QueryInput, ExpandInput)
}
BATCH = EventInput(many=True)


def valid(serializer: type[serializers.Serializer[Any]], data: Any) -> Any:
    """What came in as the serializer understands it; a refusal lists every failing place."""
    return VALIDATORS[serializer].run_validation(data)


def answer(value: Any) -> HttpResponse:
    return HttpResponse(compact_json(value), content_type="application/json")


class MemoryViewSet(DatabaseViewSet):
    """What the routes below a tenant share: a malformed request is refused before the tenant is
    looked for, so that it gets its 422 whether or not there is one."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_name(kwargs["tenant"])


@extend_schema(parameters=[TENANT], tags=["events"])
class EventViewSet(MemoryViewSet):
    """What a tenant remembers, event by event."""

    @extend_schema(
        operation_id="add_events",
        summary="Store a batch of events, whole or not at all",
        description="An event is held once: a batch that names a held id is refused whole, so"
        " that a request can be sent again safely.",
        parameters=[
            OpenApiParameter(
                "wait",
                OpenApiTypes.NUMBER,
                description="Ignored: the answer comes once everything is stored.",
            )
        ],
        request=EventInput(many=True),
        responses={200: answers.StoredOutput, **failures(404, 409, 422, body=True)},
        examples=examples.ADD_EVENTS,
    )
    def create(self, request: Request, tenant: str) -> HttpResponse:
        limit = settings.MEMMACHINE_MAX_BATCH_EVENTS
        if not isinstance(request.data, list):
            raise InvalidRequest("body: an array of events is wanted")
        if len(request.data) > limit:
            bound = at_most(limit, "events a batch", "MEMMACHINE_MAX_BATCH_EVENTS")
            raise InvalidRequest(f"body: {bound}")
        events = BATCH.run_validation(request.data)
        stored = EventMemory.open(tenant).encode(events)
        return answer({"stored": [str(uuid) for uuid in stored]})

    @extend_schema(
        operation_id="forget_events",
        summary="Forget events and all that came of them",
        request=ForgetInput,
        responses={
            200: OpenApiResponse({"type": "null"}, "They are forgotten; the body is `null`."),
            **failures(404, 422, body=True),
        },
    )
    def forget(self, request: Request, tenant: str) -> HttpResponse:
        data = valid(ForgetInput, request.data)
        EventMemory.open(tenant).forget(data["ids"])
        return answer(None)

    @extend_schema(
        operation_id="list_events",
        summary="Read events back in timeline order",
        description="Posted to another tenant, the pages make an equal memory.",
        parameters=[ListEventsInput],
        responses={200: answers.EventPageOutput, **failures(404, 422)},
    )
    def list(self, request: Request, tenant: str) -> HttpResponse:
        data = valid(ListEventsInput, request.query_params)
        page = EventMemory.open(tenant).events(**data)
        return answer(answers.of_events(page))

    @extend_schema(
        operation_id="get_event",
        summary="Read one event back",
        parameters=[
            OpenApiParameter("id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="Its id.")
        ],
        responses={200: answers.EventOutput, **failures(404, 422)},
    )
    def retrieve(self, request: Request, tenant: str, id: str) -> HttpResponse:
        try:
            uuid = Uuid().to_internal_value(id)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({"id": error.detail}) from None
        return answer(answers.of_event(EventMemory.open(tenant).event(uuid)))

    @extend_schema(
        operation_id="list_sessions",
        summary="List the sessions, latest first",
        parameters=[PageInput],
        responses={200: answers.SessionPageOutput, **failures(404, 422)},
    )
    def sessions(self, request: Request, tenant: str) -> HttpResponse:
        data = valid(PageInput, request.query_params)
        page = EventMemory.open(tenant).sessions(**data)
        return answer(answers.of_sessions(page))


@extend_schema(parameters=[TENANT], tags=["episodic memory"])
class EpisodicMemoryViewSet(MemoryViewSet):
    """Recall: find the moments that a cue describes, and walk on from them."""

    @extend_schema(
        operation_id="query_episodic_memory",
        summary="Find the windows around the segments that match a cue",
        description="Every filter is applied inside the search: when `limit` segments satisfy"
        " the filters, `limit` hits come back.",
        request=QueryInput,
        responses={200: answers.QueryOutput, **failures(404, 422, body=True)},
        examples=examples.QUERY,
    )
    def query(self, request: Request, tenant: str) -> HttpResponse:
        data = valid(QueryInput, request.data)
        hits = EventMemory.open(tenant).query(data.pop("query"), **data)
        return answer(answers.of_hits(hits))

    @extend_schema(
        operation_id="expand_episodic_memory",
        summary="Walk the timeline on from a segment",
        description="The walk stays in the anchor's session. Going on from the first of `before`"
        " or the last of `after` continues without gap or overlap.",
        request=ExpandInput,
        responses={200: answers.ExpandOutput, **failures(404, 422, body=True)},
        examples=examples.EXPAND,
    )
    def expand(self, request: Request, tenant: str) -> HttpResponse:
        data = valid(ExpandInput, request.data)
        expansion = EventMemory.open(tenant).expand(data.pop("anchor"), **data)
        return answer(answers.of_expansion(expansion))
