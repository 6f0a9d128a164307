"""Every answer that is not a success is the one envelope, with a code of the closed set."""

import uuid

import pytest
from django.db import OperationalError
from psycopg_pool import PoolTimeout

from memmachine.api.handlers import exception_handler
from tests.factories import message

QUERY = "/episodic-memory/query"
EXPAND = "/episodic-memory/expand"


def refusal(response, status: int, code: str) -> str:
    """The message of a refusal, which has nothing beside its code and its message."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"].startswith("application/json")
    body = response.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    assert body["error"]["code"] == code
    return body["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", ""),
        ("get", "/events"),
        ("get", "/events/5b1d3a52-0b5c-4a5e-9d35-0d6a4f0c1c11"),
        ("get", "/sessions"),
    ],
)
def test_a_tenant_that_was_never_created_is_not_found(api, method, path):
    refusal(getattr(api, method)("/v1/tenants/nobody" + path), 404, "tenant_not_found")


def test_a_malformed_request_that_names_no_tenant_gets_the_422(api):
    api.root = "/v1/tenants/nobody"
    refusal(api.send("/events", {}), 422, "invalid_request")
    refusal(api.send(QUERY, {"query": ""}), 422, "invalid_request")
    refusal(api.send(EXPAND, {"anchor": "x"}), 422, "invalid_request")
    refusal(api.fetch("/events", limit="0"), 422, "invalid_request")
    refusal(api.fetch("/events/x"), 422, "invalid_request")


def test_an_event_of_a_stranger_is_not_found(api, strange_memory):
    (stored,) = strange_memory.encode([message()])
    refusal(api.fetch(f"/events/{stored}"), 404, "invalid_request")


def test_a_segment_of_a_stranger_is_no_anchor(api, strange_memory):
    strange_memory.encode([message("hello")])
    (hit,) = strange_memory.query("hello")
    anchor = str(hit.segments[0].uuid)
    assert anchor in refusal(api.send(EXPAND, {"anchor": anchor}), 422, "invalid_request")


def test_a_memory_that_is_switched_off_is_not_enabled(api, tenant):
    tenant.episodic_enabled = False
    tenant.save()
    refusal(api.send("/events", []), 404, "component_not_enabled")
    refusal(api.send(QUERY, {"query": "x"}), 404, "component_not_enabled")
    refusal(api.fetch("/events"), 404, "component_not_enabled")
    assert api.get(api.root).status_code == 200


def test_an_embedder_that_cannot_be_built_is_not_enabled(api, tenant):
    tenant.embedder = "gone"
    tenant.save()
    refusal(api.send("/events", []), 404, "component_not_enabled")
    refusal(api.send(QUERY, {"query": "x"}), 404, "component_not_enabled")


def test_held_events_are_a_conflict_that_names_every_one(api):
    ids = [str(uuid.uuid4()) for _ in range(3)]
    events = [{"id": id, "session_id": "s", "blocks": []} for id in ids]
    assert api.send("/events", events[:2]).json() == {"stored": ids[:2]}
    said = refusal(api.send("/events", events), 409, "event_exists")
    assert ids[0] in said
    assert ids[1] in said
    assert ids[2] not in said
    refusal(api.fetch(f"/events/{ids[2]}"), 404, "invalid_request")


def test_every_failing_place_is_listed(api):
    events = [{"blocks": [{"kind": "text", "text": 5}]}, {"session_id": "", "blocks": "x"}]
    assert refusal(api.send("/events", events), 422, "invalid_request").split("; ") == [
        "0.session_id: This field is required.",
        "0.blocks.0.text: a text is wanted",
        "1.session_id: a text that is not empty is wanted",
        "1.blocks: an array is wanted",
    ]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/v1/nowhere", 404),
        ("get", "/v1/tenants/tenant/", 404),
        ("get", "/v1/tenants/tenant/events/delete", 405),
        ("patch", "/v1/tenants/tenant", 405),
        ("options", "/v1/tenants/tenant", 405),
        ("put", "/v1/tenants/tenant/events", 405),
        ("post", "/v1/openapi.json", 405),
        ("post", "/v1/docs", 405),
    ],
)
def test_unknown_paths_and_wrong_methods_say_so(api, method, path, status):
    refusal(getattr(api, method)(path), status, "invalid_request")


def test_a_refusal_is_bounded_whatever_the_request(api):
    hostile = [{"k" * 100_000: "\0"} for _ in range(2_000)]
    said = refusal(api.send("/events", hostile), 422, "invalid_request")
    assert len(said) < 200_000
    said = refusal(api.send("/events/delete", {"ids": ["x"] * 5_000}), 422, "invalid_request")
    assert said.count("; ") == 999


def test_items_are_counted_before_they_are_looked_at(api):
    said = refusal(api.send("/events/delete", {"ids": ["x"] * 10_001}), 422, "invalid_request")
    assert said == "ids: at most 10000 items"
    said = refusal(api.send(QUERY, {"query": "x", "parts": [5] * 10_001}), 422, "invalid_request")
    assert said == "parts: at most 10000 items"


def test_a_wrong_method_names_the_right_ones(api):
    assert api.patch(api.root).headers["Allow"] == "GET, PUT, DELETE, HEAD"


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data"])
def test_another_media_type_is_refused(api, media_type):
    response = api.post(api.root + "/events", "[]", content_type=media_type)
    refusal(response, 415, "invalid_request")


def test_a_bug_is_an_internal_error_that_tells_nothing(api, tenant, settings, caplog):
    settings.RANKERS = {"broken": {"BACKEND": "collections.OrderedDict"}}
    tenant.ranker = "broken"
    tenant.save()
    said = refusal(api.send(QUERY, {"query": "x"}), 500, "internal")
    assert said == "Internal server error"
    assert "Traceback" in caplog.text


def test_no_free_connection_is_an_overload_with_a_time_to_come_back():
    error = OperationalError("busy")
    error.__cause__ = PoolTimeout("busy")
    response = exception_handler(error, {})
    assert response is not None
    refusal_of = response.headers["Retry-After"]
    assert (response.status_code, refusal_of) == (503, "1")
