"""What is measured: `manage.py serve` in a process of its own, and the cheapest client of it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def serving(embedder: str) -> Iterator[str]:
    """The address of a server on a fresh data directory, which this process uses as well.

    Sets this process's environment, and so comes before Django is set up.
    """
    with tempfile.TemporaryDirectory(prefix="memmachine-", ignore_cleanup_errors=True) as data_dir:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "memmachine.settings",
            "MEMMACHINE_DATA_DIR": data_dir,
            "MEMMACHINE_EMBEDDER": embedder,
            "MEMMACHINE_LOG_LEVEL": "WARNING",
            "MEMMACHINE_MAINTENANCE": "off",  # what it does is done, and measured, by commands
        }
        os.environ.pop("DATABASE_URL", None)
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended either way, clean up
        server = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", "0"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield _address_of(server)
        finally:
            _let_go_of_the_database()
            server.terminate()
            server.wait()


def _address_of(server: "subprocess.Popen[str]") -> str:
    line = server.stdout.readline() if server.stdout else ""
    found = re.search(r"http://\S+", line)
    if not found:
        sys.exit(f"The server did not start: {line}")
    return found[0]


def _let_go_of_the_database() -> None:
    """Whoever uses the embedded database last stops it: that must be the server, or the folder
    would be removed from under a database that runs."""
    from django.conf import settings
    from django.db import connections

    from memmachine.embedded.cluster import cluster

    if settings.configured:
        connections.close_all()
        for connection in connections.all(initialized_only=True):
            connection.close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL backend
        cluster(settings.DATABASES["default"]["HOME"]).release()


class Client:
    """One connection that is kept open. A client with more comforts costs 2 ms a request."""

    def __init__(self, url: str, tenant: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=600)
        self._root = f"/v1/tenants/{tenant}"

    def post(self, path: str, body: bytes) -> bytes:
        """The answer's body; anything but success ends the benchmark."""
        return self._request("POST", path, body)

    def create(self) -> None:
        self._request("PUT", "", None)

    def delete(self) -> None:
        self._request("DELETE", "", None)

    def _request(self, method: str, path: str, body: bytes | None) -> bytes:
        try:
            response = self._send(method, path, body)
        except ConnectionError:  # closed by the server while nothing was asked
            self._connection.close()
            response = self._send(method, path, body)
        answer = response.read()
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:500]!r}")
        return answer

    def _send(self, method: str, path: str, body: bytes | None) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json"}
        self._connection.request(method, self._root + path, body, headers)
        return self._connection.getresponse()


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()
