"""A server that is killed and started again on the same data, and what one clean ingest makes."""

import signal
import time
from collections.abc import Mapping
from functools import cached_property
from itertools import count
from pathlib import Path
from random import Random

import httpx

from tests.e2e.conftest import Server
from tests.faults.database import Database
from tests.faults.events import SHAPES, event, new_id, shape_of
from tests.faults.ledger import Batch, Ledger, Outcome
from tests.faults.load import Caller, Load

POOL = {"MEMMACHINE_POOL_SIZE": "6", "MEMMACHINE_POOL_TIMEOUT": "5"}
SECONDS = 10.0  # what "within seconds" means here, on a machine with other work


class Deployment:
    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.database = Database(data_dir)
        self._names = count()
        self._environment: Mapping[str, str] = {}
        self.server: Server | None = None
        self.start()

    def start(self, **environment: str) -> None:
        """Serve with these settings, unless that is what is being done."""
        wanted = POOL | environment
        if self.server and self.server.process.poll() is None:
            if wanted == self._environment:
                return
            self.stop()
        self._environment = wanted
        self.server = Server(self.data_dir, **wanted)

    def stop(self) -> None:
        if self.server and self.server.process.poll() is None:
            assert self.server.stop() == 0

    def kill(self) -> None:
        """SIGKILL of the server's process, and of nothing else."""
        assert self.server
        self.server.stop(signal.SIGKILL)

    @property
    def url(self) -> str:
        assert self.server
        return self.server.url

    @property
    def pid(self) -> int:
        assert self.server
        return self.server.process.pid

    def new_tenant(self) -> str:
        name = f"tenant-{next(self._names)}"
        assert httpx.put(f"{self.url}/v1/tenants/{name}", timeout=30).status_code == 201
        return name

    def caller(self, tenant: str, ledger: Ledger | None = None) -> Caller:
        return Caller(self.url, tenant, ledger or Ledger())

    def load(self, tenant: str, ledger: Ledger, random: Random, clients: int = 8) -> Load:
        return Load(self.url, tenant, ledger, random, clients=clients)

    def seconds_until_it_stores(self, tenant: str, ledger: Ledger, random: Random) -> float:
        """How long it takes from now until a batch is answered with 200."""
        started = time.monotonic()
        caller = self.caller(tenant, ledger)
        while time.monotonic() < started + 6 * SECONDS:
            ledger.begin(batch := Batch("again", [new_id(random)]))
            if caller.post(batch) == Outcome.DONE:
                break
            time.sleep(0.05)
        caller.http.close()
        return time.monotonic() - started

    @cached_property
    def reference(self) -> dict[int, str]:
        """By shape, the digest of the rows that one undisturbed ingest of an event makes."""
        random = Random(0)
        tenant = self.new_tenant()
        body = [event(new_id(random, shape), "clean") for shape in range(len(SHAPES))]
        url = f"{self.url}/v1/tenants/{tenant}/events"
        assert httpx.post(url, json=body, timeout=30).status_code == 200
        rows = self.database.rows(self.database.lives(tenant))
        found = {shape_of(uuid): digest for uuid, digest in rows}
        assert len(found) == len(SHAPES)
        return found
