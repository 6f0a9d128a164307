"""The routes of tenants."""

from urllib.parse import quote

import pytest

from tests.factories import message

EVENT = {"session_id": "s", "blocks": [{"kind": "text", "text": "a foghorn"}]}


def path(name):
    return f"/v1/tenants/{quote(name, safe='')}"


def code(response):
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("name", ["a", "a b", "日本", "%25", "x" * 255, "a?b#c"])
def test_a_tenant_is_made_once_and_looked_up_under_its_name(api, name):
    made, again, found = api.put(path(name)), api.put(path(name)), api.get(path(name))
    assert (made.status_code, again.status_code, found.status_code) == (201, 200, 200)
    assert made.json() == again.json() == found.json() == {"name": name}


@pytest.mark.parametrize("method", ["put", "get", "delete"])
@pytest.mark.parametrize("name", [".", "..", "a\x00", "\x85", "x" * 256, "é" * 128])
def test_what_cannot_be_a_name_is_refused(api, method, name):
    assert code(getattr(api, method)(path(name))) == (422, "invalid_request")


def test_a_name_that_is_not_taken_is_not_found(api):
    assert code(api.get(path("nobody"))) == (404, "tenant_not_found")


def test_deleting_says_nothing_and_can_be_repeated(api, stranger):
    for name in ("tenant", "tenant", "nobody"):
        response = api.delete(path(name))
        assert (response.status_code, response.content) == (204, b"")
    assert api.get(path("stranger")).status_code == 200


def test_deleting_hides_all_that_the_tenant_holds_at_once(api, memory):
    (id,) = memory.encode([message("a foghorn")])
    (hit,) = memory.query("foghorn")
    api.delete(path("tenant"))
    answers = [
        api.get(path("tenant")),
        api.fetch("/events"),
        api.fetch(f"/events/{id}"),
        api.fetch("/sessions"),
        api.send("/events", [EVENT]),
        api.send("/events/delete", {"ids": [str(id)]}),
        api.send("/episodic-memory/query", {"query": "foghorn"}),
        api.send("/episodic-memory/expand", {"anchor": str(hit.segments[0].uuid)}),
    ]
    assert [code(answer) for answer in answers] == [(404, "tenant_not_found")] * 8


def test_a_tenant_made_again_starts_empty(api, memory, strange_memory):
    (id,) = memory.encode([message("a foghorn")])
    (hit,) = memory.query("foghorn")
    strange_memory.encode([message("a foghorn")])
    api.delete(path("tenant"))
    assert api.put(path("tenant")).status_code == 201
    assert api.fetch("/events").json() == {"events": [], "next": None}
    assert api.fetch("/sessions").json() == {"sessions": [], "next": None}
    assert api.send("/episodic-memory/query", {"query": "foghorn"}).json() == {"hits": []}
    anchor = {"anchor": str(hit.segments[0].uuid)}
    assert code(api.send("/episodic-memory/expand", anchor)) == (422, "invalid_request")
    assert api.send("/events", [EVENT | {"id": str(id)}]).json() == {"stored": [str(id)]}


def test_no_data_route_makes_a_tenant(api):
    answer = api.post("/v1/tenants/new/events", [EVENT], content_type="application/json")
    assert code(answer) == (404, "tenant_not_found")
    assert code(api.get(path("new"))) == (404, "tenant_not_found")


def test_another_method_is_told_which_there_are(api):
    answer = api.post(path("tenant"))
    assert code(answer) == (405, "invalid_request")
    assert {"GET", "PUT", "DELETE"} <= set(answer["Allow"].split(", "))
