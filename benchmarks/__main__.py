"""`python -m benchmarks`: what a request costs over HTTP beside the same call of the library.

Fills a fresh database with one tenant of `--events` events, with the `hashing` embedder, through
`manage.py serve`; then another through `EventMemory` in this process; and asks both the same
cues. Prints medians and the ratio of the first to the second.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

BATCH = 100
CUES = 300


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--events", type=int, default=6_000)
    count = parser.parse_args().events
    with tempfile.TemporaryDirectory(prefix="memmachine-") as data_dir:
        os.environ |= {
            "MEMMACHINE_DATA_DIR": data_dir,
            "MEMMACHINE_EMBEDDER": "hashing",
            "MEMMACHINE_LOG_LEVEL": "WARNING",
        }
        os.environ.pop("DATABASE_URL", None)
        server = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            compare(address_of(server), count)
        finally:
            server.terminate()
            server.wait()


def address_of(server: "subprocess.Popen[str]") -> str:
    line = server.stdout.readline() if server.stdout else ""
    found = re.search(r"http://\S+", line)
    if not found:
        sys.exit(f"The server did not start: {line}")
    return found[0]


def compare(url: str, count: int) -> None:
    import django
    import httpx

    os.environ["DJANGO_SETTINGS_MODULE"] = "memmachine.settings"
    django.setup()

    from episodic.api.serializers import EventInput
    from episodic.memory import EventMemory
    from tenants.services import create_tenant

    client = httpx.Client(timeout=60)
    tenant = f"{url}/v1/tenants/http"
    client.put(tenant).raise_for_status()
    memory = EventMemory(create_tenant("library")[0])
    batches = [list(batch) for batch in events(count)]
    cues = [words(5) for _ in range(CUES)]

    def post(batch: list[dict[str, Any]]) -> None:
        client.post(f"{tenant}/events", json=batch).raise_for_status()

    def encode(batch: list[dict[str, Any]]) -> None:
        memory.encode(EventInput(many=True).run_validation(batch))

    def ask(cue: str) -> None:
        body = {"query": cue}
        client.post(f"{tenant}/episodic-memory/query", json=body).raise_for_status()

    def query(cue: str) -> None:
        memory.query(cue)

    show("ingest, 100 events", timed(post, batches), timed(encode, batches))
    show("query, 10 windows", timed(ask, cues), timed(query, cues))


def events(count: int) -> Iterable[Iterable[dict[str, Any]]]:
    for start in range(0, count, BATCH):
        yield (
            {
                "timestamp": f"2026-06-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}+02:00",
                "session_id": f"session-{i // 200}",
                "source_id": "benchmark",
                "context": {"author": {"name": "Alice"}},
                "blocks": [{"kind": "text", "text": words(14)}],
                "properties": {"project": "ferryline", "number": i},
            }
            for i in range(start, min(start + BATCH, count))
        )


def words(number: int) -> str:
    return " ".join(f"word{random.randrange(3_000)}" for _ in range(number))  # noqa: S311  # no secret


def timed(call: Callable[[Any], None], arguments: Iterable[Any]) -> float:
    """The median of the calls, in milliseconds."""
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append(time.perf_counter() - start)
    return median(times) * 1_000


def show(name: str, http: float, library: float) -> None:
    print(f"{name:20} HTTP {http:7.2f} ms   library {library:7.2f} ms   ratio {http / library:.2f}")


if __name__ == "__main__":
    main()
