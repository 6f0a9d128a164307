"""`manage.py serve`: it starts, stops, and gives one clear line where it cannot."""

import os
import signal
import socket
import time
import uuid

import pytest

from tests.e2e.conftest import Server, database_pids, launch, running


def post(server: Server, words: str) -> str:
    server.client.put("/v1/tenants/kept").raise_for_status()
    event = {
        "id": str(uuid.uuid4()),
        "session_id": "s",
        "blocks": [{"kind": "text", "text": words}],
    }
    (stored,) = server.client.post("/v1/tenants/kept/events", json=[event]).json()["stored"]
    return stored


def held(server: Server) -> list[str]:
    return [event["id"] for event in server.client.get("/v1/tenants/kept/events").json()["events"]]


def refusal(process) -> str:
    """The one line that a command which could not start said."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    (line,) = output.strip().splitlines()
    return line


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_what_was_stored_is_there_at_the_next_start(tmp_path, sign):
    with running(tmp_path) as server:
        stored = post(server, "remember me")
        assert server.stop(sign) == 0
    assert database_pids(tmp_path) == []
    with running(tmp_path) as server:
        assert held(server) == [stored]


def test_what_was_stored_is_there_after_a_kill_of_everything(tmp_path):
    with running(tmp_path) as server:
        stored = post(server, "remember me")
        server.kill_everything()
    with running(tmp_path) as server:
        assert held(server) == [stored]


def test_the_data_directory_may_hold_other_things(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    tmp_path.chmod(0o755)
    with running(tmp_path) as server:
        post(server, "remember me")
    assert other.read_text() == "mine"
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_taken_port_is_one_clear_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refusal(launch(tmp_path, "--port", str(port)))
    assert f"Port {port} on 127.0.0.1 is taken" in line


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", "10.0.0.1"])
def test_an_address_that_others_reach_is_refused_while_there_are_no_keys(tmp_path, host):
    assert "not a loopback address" in refusal(launch(tmp_path, "--host", host))


def test_an_unusable_data_directory_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    line = refusal(launch(tmp_path / "file" / "below", "--port", "0"))
    assert "MEMMACHINE_DATA_DIR" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_an_unwritable_data_directory_is_one_clear_line(tmp_path):
    tmp_path.chmod(0o500)
    line = refusal(launch(tmp_path, "--port", "0"))
    assert "MEMMACHINE_DATA_DIR" in line


def test_an_unreachable_database_is_one_clear_line(tmp_path):
    url = "postgres://nobody:secret@127.0.0.1:1/none"
    line = refusal(launch(tmp_path, "--port", "0", DATABASE_URL=url))
    assert "database cannot be used" in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMMACHINE_POOL_SIZE", "many"),
        ("MEMMACHINE_POOL_SIZE", "0"),
        ("MEMMACHINE_MAX_BODY_BYTES", "-1"),
        ("MEMMACHINE_LOG_LEVEL", "loud"),
        ("MEMMACHINE_RANKER", "oracle"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "sqlite:///here"),
        ("MEMMACHINE_REPLICA_URL", "nonsense"),
        ("MEMMACHINE_REPLICA_URL", "postgres://127.0.0.1:1/of-the-embedded-one"),
    ],
)
def test_a_setting_that_is_not_understood_is_one_clear_line(tmp_path, name, value):
    assert name in refusal(launch(tmp_path, "--port", "0", **{name: value}))


def test_every_loopback_address_that_is_served_is_answered_on(tmp_path):
    with running(tmp_path, "--host", "127.0.0.2") as server:
        assert server.client.get("/healthz").status_code == 200


def test_an_unknown_embedder_is_one_clear_line(tmp_path):
    line = refusal(launch(tmp_path, "--port", "0", MEMMACHINE_EMBEDDER="oracle"))
    assert "MEMMACHINE_EMBEDDER" in line


def test_a_request_killed_in_the_middle_stores_nothing(server):
    server.client.put("/v1/tenants/interrupted")
    host, port = server.url.removeprefix("http://").split(":")
    head = (
        "POST /v1/tenants/interrupted/events HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall((head + '[{"session_id": "s", "blocks": []}]').encode())
        time.sleep(0.1)
    assert server.client.get("/v1/tenants/interrupted/events").json()["events"] == []
