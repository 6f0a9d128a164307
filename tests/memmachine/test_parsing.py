"""Bodies: strict JSON, and what cannot be stored is refused where it stands."""

import json

import pytest

NUL = "a NUL character cannot be stored"
SURROGATE = "a lone surrogate cannot be stored"
FINITE = "a finite number is wanted"
DEEP = "at most 64 levels of nested JSON (MEMMACHINE_MAX_JSON_DEPTH)"


def post(api, body: str | bytes, content_type="application/json"):
    return api.post(api.root + "/events", body, content_type=content_type)


def refusal(response, status=422) -> str:
    """The message of a refusal, after which the tenant holds nothing."""
    assert response.status_code == status, response.content
    assert response.json()["error"]["code"] == "invalid_request"
    return response.json()["error"]["message"]


def event(**fields) -> str:
    return json.dumps([{"session_id": "s", "blocks": [], **fields}])


def call(input_json: str) -> str:
    """An event with a call of a tool, whose input is given as JSON."""
    block = f'{{"kind":"tool_call","name":"Bash","input":{input_json}}}'
    return f'[{{"session_id":"s","blocks":[{block}]}}]'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (event(session_id="a\0"), f"0.session_id: {NUL}"),
        (event(session_id="\ud800"), f"0.session_id: {SURROGATE}"),
        (event(source_id="\udc00\ud800"), f"0.source_id: {SURROGATE}"),
        (event(properties={"p": "\0"}), f"0.properties.p: {NUL}"),
        (event(properties={"p": float("nan")}), f"0.properties.p: {FINITE}"),
        (event(properties={"p": float("-inf")}), f"0.properties.p: {FINITE}"),
        (event(blocks=[{"kind": "text", "text": "a\ud800b"}]), f"0.blocks.0.text: {SURROGATE}"),
        (event(context={"author": {"name": "\0"}}), f"0.context.author.name: {NUL}"),
        (event(mood={"of": ["\0"]}), f"0.mood.of.0: {NUL}"),
        (call('{"a": 1e999}'), f"0.blocks.0.input.a: {FINITE}"),
        (call('{"a": [[-1e999]]}'), f"0.blocks.0.input.a.0.0: {FINITE}"),
        (call('{"a": Infinity}'), f"0.blocks.0.input.a: {FINITE}"),
        (call('{"\\u0000": 1}'), f"0.blocks.0.input.(key): {NUL}"),
        (call('{"a": {"\\ud800": 1}}'), f"0.blocks.0.input.a.(key): {SURROGATE}"),
        ('"\\ud800"', f"body: {SURROGATE}"),
        ("NaN", f"body: {FINITE}"),
    ],
)
def test_what_cannot_be_stored_is_refused_where_it_stands(api, body, message):
    assert refusal(post(api, body)) == message


def test_every_place_that_cannot_be_stored_is_named(api):
    places = refusal(post(api, event(session_id="\0", mood=[1e999, "\ud800"]))).split("; ")
    assert places == [f"0.session_id: {NUL}", f"0.mood.0: {FINITE}", f"0.mood.1: {SURROGATE}"]


def test_a_path_through_a_key_that_cannot_be_stored_is_spelt_in_ascii(api):
    said = refusal(post(api, call('{"\\ud800": "\\u0000"}')))
    assert rf"0.blocks.0.input.\ud800: {NUL}" in said.split("; ")


def test_a_pair_of_surrogates_is_a_character(api):
    assert post(api, event(session_id="\U0001f6a2")).status_code == 200


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_20000_levels_are_refused(api, opening):
    closing = "]" if opening == "[" else "}"
    body = opening * 20_000 + "1" + closing * 20_000
    assert refusal(post(api, body)) == f"body: {DEEP}"


def test_500_levels_are_refused(api):
    assert refusal(post(api, "[" * 500 + "]" * 500)).endswith(DEEP)


@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ('{"a":[', "]}")])
def test_64_levels_of_a_calls_input_are_taken_and_65_refused(api, opening, closing):
    times = 64 // len(closing)
    whole = opening * times + "1" + closing * times
    assert post(api, call(whole)).status_code == 200
    said = refusal(post(api, call('{"a":' + whole + "}")))
    assert said.startswith("0.blocks.0.input")
    assert said.endswith(f": {DEEP}")


@pytest.mark.parametrize(
    "body", ["{", "[1,]", "{'a': 1}", '"\n"', "[1] [2]", "nil", "\ufeff[]", "1" * 5_000, " "]
)
def test_malformed_json_is_refused(api, body):
    assert refusal(post(api, body)).startswith("body: malformed JSON: ")


def test_an_empty_body_is_refused(api):
    assert refusal(post(api, "")).startswith("body: ")


def test_what_is_not_utf_8_is_refused_with_its_place(api):
    assert refusal(post(api, b'["\xff"]')) == "body: UTF-8 is wanted, byte 2 is not"
    assert "UTF-8 is wanted" in refusal(post(api, "[]".encode("utf-16")))


@pytest.mark.parametrize(
    "media_type", ["text/plain", "text/json", "application/x-www-form-urlencoded", "x", "*/*"]
)
def test_another_media_type_is_refused(api, media_type):
    refusal(post(api, "[]", content_type=media_type), status=415)


@pytest.mark.parametrize(
    "media_type", ["application/json; charset=utf-8", "APPLICATION/JSON", " application/json "]
)
def test_json_goes_by_its_media_type_whatever_stands_beside(api, media_type):
    assert post(api, "[]", content_type=media_type).status_code == 200


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*", "nonsense"])
def test_the_answer_is_json_whatever_is_accepted(api, accept):
    answer = api.get(api.root, headers={"accept": accept})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"name": "tenant"}


def test_of_a_refused_body_nothing_is_stored(api):
    good = json.loads(event())[0]
    refusal(post(api, json.dumps([good, {**good, "session_id": "\0"}])))
    assert api.fetch("/events").json() == {"events": [], "next": None}
