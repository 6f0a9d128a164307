"""openapi.json says what the code does."""

import json

import pytest
from django.conf import settings
from django.urls import URLPattern, get_resolver
from jsonschema import Draft202012Validator

from episodic.api import examples
from episodic.content.blocks import KINDS
from memmachine.api.views import openapi_document
from memmachine.errors import ErrorCode

DOCUMENT = json.loads(openapi_document())
OPERATIONS = {
    operation["operationId"]: operation
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}


def schema(name: str) -> dict:
    return {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}


def check(name: str, value: object) -> None:
    Draft202012Validator(schema(name)).validate(value)


def test_the_file_is_what_the_code_generates():
    file = settings.BASE_DIR / "openapi.json"
    assert file.read_bytes() == openapi_document(), "run `make openapi`"


def test_it_is_served(api):
    assert api.get("/v1/openapi.json").json() == DOCUMENT


def test_the_operations_are_those_of_the_contract():
    assert set(OPERATIONS) == {
        "create_tenant",
        "get_tenant",
        "delete_tenant",
        "add_events",
        "forget_events",
        "list_events",
        "get_event",
        "list_sessions",
        "query_episodic_memory",
        "expand_episodic_memory",
    }


def test_every_field_and_parameter_is_described():
    missing = [
        f"{name}.{field}"
        for name, component in DOCUMENT["components"]["schemas"].items()
        for field, spec in component.get("properties", {}).items()
        if not spec.get("description")
    ]
    missing += [
        f"{name}: {parameter['name']}"
        for name, operation in OPERATIONS.items()
        for parameter in operation["parameters"]
        if not parameter.get("description")
    ]
    assert missing == []


def test_the_error_codes_are_an_enum_of_all_that_there_are():
    assert DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"] == [
        str(code) for code in ErrorCode
    ]


def test_the_blocks_are_told_apart_by_their_kind():
    block = DOCUMENT["components"]["schemas"]["Block"]
    assert block["discriminator"]["propertyName"] == "kind"
    assert set(block["discriminator"]["mapping"]) == set(KINDS)


def test_the_examples_are_true(api, tenant):
    tenant.embedder = "wordllama"
    tenant.save()
    for event in (examples.QUESTION, examples.CALL):
        check("EventInput", event)
        stored = api.send("/events", [event]).json()
        check("StoredOutput", stored)
        assert stored == {"stored": [event["id"]]}
    answer = api.send("/episodic-memory/query", examples.QUERY_REQUEST).json()
    check("QueryOutput", answer)
    uuids = [segment["uuid"] for segment in answer["hits"][0]["segments"]]
    expected = renamed(examples.QUERY_ANSWER, uuids)
    score = expected["hits"][0].pop("score")
    assert answer["hits"][0].pop("score") == pytest.approx(score, abs=0.001)
    assert answer == expected
    request = {**examples.EXPAND_REQUEST, "anchor": uuids[0]}
    answer = api.send("/episodic-memory/expand", request).json()
    check("ExpandOutput", answer)
    assert answer == renamed(examples.EXPAND_ANSWER, uuids)


def renamed(example: dict, uuids: list[str]) -> dict:
    """The example with the uuids that the server minted."""
    text = json.dumps(example)
    for number, uuid in enumerate(uuids, 1):
        text = text.replace(f"{examples.SEGMENT}{number:02}", uuid)
        hexed = f"{examples.SEGMENT}{number:02}".replace("-", "")
        text = text.replace(hexed, uuid.replace("-", ""))
    return json.loads(text)


def test_listings_answer_as_described(api):
    api.send("/events", [examples.QUESTION])
    check("EventPageOutput", api.fetch("/events").json())
    check("EventOutput", api.fetch(f"/events/{examples.QUESTION['id']}").json())
    check("SessionPageOutput", api.fetch("/sessions").json())
    check("TenantOutput", api.get(api.root).json())
    check("ErrorOutput", api.fetch("/events", limit=0).json())


def test_every_route_below_v1_is_in_the_document():
    def patterns(resolver, prefix=""):
        for entry in resolver.url_patterns:
            route = prefix + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield "/" + route.replace("<str:", "{").replace(">", "}")
            else:
                yield from patterns(entry, route)

    routes = {route for route in patterns(get_resolver()) if route.startswith("/v1/tenants")}
    assert routes == set(DOCUMENT["paths"])
