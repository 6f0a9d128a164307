"""What is decided before Django sees a request: host names, paths and bodies."""

import pytest
from django.conf import settings


def error(response) -> dict:
    assert response.json().keys() == {"error"}
    return response.json()["error"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_strange_host_name_is_not_answered(client, host):
    response = client.get("/v1/tenants/t", headers={"Host": host})
    assert response.status_code == 422
    assert "Host" in error(response)["message"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1234", "[::1]:80"])
def test_loopback_names_are_answered(client, host):
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/tenants/a%2Fb", "/v1/tenants/a%2fevents"])
def test_an_encoded_slash_addresses_no_route(client, path):
    response = client.put(path)
    assert response.status_code == 404
    assert error(response)["code"] == "invalid_request"


def test_a_name_that_is_not_utf8_is_refused(client):
    assert client.put("/v1/tenants/%ff%fe").status_code == 422


def test_a_query_string_that_is_not_utf8_is_refused(client):
    client.put("/v1/tenants/query")
    assert client.get("/v1/tenants/query/events?session_id=%ff").status_code == 422


def test_more_parameters_than_anybody_needs_are_no_fault(client):
    client.put("/v1/tenants/query")
    response = client.get("/v1/tenants/query/events?" + "&".join(["x=1"] * 1_500))
    assert response.json() == {"events": [], "next": None}


def test_a_percent_sign_is_decoded_once(client):
    assert client.put("/v1/tenants/100%2525").json() == {"name": "100%25"}


def test_a_body_past_the_bound_is_413_and_names_the_setting(client):
    body = b" " * (settings.MEMMACHINE_MAX_BODY_BYTES + 1)
    response = client.post(
        "/v1/tenants/t/events", content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 413
    assert "MEMMACHINE_MAX_BODY_BYTES" in error(response)["message"]


def test_a_body_in_chunks_is_read(client):
    client.put("/v1/tenants/chunks")
    response = client.post(
        "/v1/tenants/chunks/events",
        content=iter([b'[{"session_id": "s",', b' "blocks": []}]']),
        headers={"Content-Type": "application/json"},
    )
    assert len(response.json()["stored"]) == 1


def test_the_api_page_needs_no_network(client):
    page = client.get("/v1/docs").text
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert client.get("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css").is_success


def test_the_root_leads_to_the_api_page(client):
    assert client.get("/").headers["location"] == "/v1/docs"
