"""What `serve` does beside serving, and the commands that do the same."""

import re
import signal
import subprocess
import sys
import time

import pytest
from django.conf import settings

from tests.e2e.conftest import environment_of, running

LOW = {"MEMMACHINE_VECTOR_INDEX_THRESHOLD": "50"}
# Keeps a snapshot, for which a build has to wait, until it is told to go on.
HOLD = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "memmachine.settings"
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    cursor.execute("SELECT count(*) FROM episodic_derivative")
    print("held", flush=True)
    sys.stdin.readline()
"""

AS_IT_SHOULD_BE = "Every index is as it should be.\n"


def command(data_dir, *arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment_of(data_dir, **LOW),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(data_dir, *arguments) -> str:
    """What a command prints, to its end."""
    out, err = command(data_dir, *arguments).communicate(timeout=60)
    return out or err


def fill(server, tenant: str) -> None:
    server.client.put(f"/v1/tenants/{tenant}").raise_for_status()
    batch = [
        {"session_id": "s", "blocks": [{"kind": "text", "text": f"seats were sold {n} times"}]}
        for n in range(120)
    ]
    server.client.post(f"/v1/tenants/{tenant}/events", json=batch).raise_for_status()


def test_serve_builds_indexes_and_reclaims_deleted_tenants_by_itself(tmp_path):
    with running(tmp_path, MEMMACHINE_MAINTENANCE="off") as server:
        fill(server, "large")
        fill(server, "deleted")
        server.client.delete("/v1/tenants/deleted").raise_for_status()
        assert "Would build" in said(tmp_path, "index_tenants", "--dry-run")
        assert "with 120 events" in said(tmp_path, "purge_tenants", "--dry-run")
    with running(tmp_path, **LOW) as server:
        deadline = time.monotonic() + 30
        while "Would remove 0 tenants" not in said(tmp_path, "purge_tenants", "--dry-run"):
            assert time.monotonic() < deadline, server.output
        assert said(tmp_path, "index_tenants", "--dry-run") == AS_IT_SHOULD_BE
        query = {"query": "seats sold", "limit": 3}
        answer = server.client.post("/v1/tenants/large/episodic-memory/query", json=query)
        assert len(answer.json()["hits"]) == 3
        assert server.stop() == 0
    assert "build an index for tenant 'large' (has none): 120 vectors" in "".join(server.output)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_build_that_is_stopped_is_done_by_the_next_run(tmp_path, sign):
    with running(tmp_path, MEMMACHINE_MAINTENANCE="off") as server:
        fill(server, "large")
        hold = subprocess.Popen(
            [sys.executable, "-c", HOLD],
            cwd=settings.BASE_DIR,
            env=environment_of(tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert hold.stdout is not None
        assert hold.stdout.readline() == "held\n"
        building = command(tmp_path, "index_tenants")
        assert building.stdout is not None
        assert "build an index" in building.stdout.readline()
        time.sleep(1)
        building.send_signal(sign)
        if sign == signal.SIGKILL:
            building.communicate(timeout=30)
        hold.communicate("go on\n", timeout=30)
        building.communicate(timeout=30)
        assert building.returncode != 0
        deadline = time.monotonic() + 30
        while said(tmp_path, "index_tenants", "--dry-run") != AS_IT_SHOULD_BE:
            assert time.monotonic() < deadline
            said(tmp_path, "index_tenants")


@pytest.mark.parametrize(("sign", "status"), [(signal.SIGINT, 3), (signal.SIGKILL, -9)])
def test_a_purge_that_is_stopped_half_way_is_finished_by_the_next(tmp_path, sign, status):
    with running(tmp_path, MEMMACHINE_MAINTENANCE="off") as server:
        for _ in range(10):
            fill(server, "deleted")
        fill(server, "kept")
        server.client.delete("/v1/tenants/deleted").raise_for_status()
        purging = command(tmp_path, "purge_tenants", "--batch-size", "1")
        left = 1_200
        while left == 1_200:
            found = re.search(r"with ([\d,]+) events", said(tmp_path, "purge_tenants", "--dry-run"))
            assert found, "the purge was over before it could be stopped"
            left = int(found[1].replace(",", ""))
        purging.send_signal(sign)
        purging.communicate(timeout=30)
        assert purging.returncode == status
        assert "Would remove 1 tenants" in said(tmp_path, "purge_tenants", "--dry-run")
        assert said(tmp_path, "purge_tenants").startswith("Removed 1 of 1 tenants, and")
        assert "Would remove 0 tenants" in said(tmp_path, "purge_tenants", "--dry-run")
        events = server.client.get("/v1/tenants/kept/events", params={"limit": 1_000}).json()
        assert len(events["events"]) == 120
