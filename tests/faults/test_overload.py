"""More clients than connections: they queue, then some are refused at once and in time."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.faults.events import new_id
from tests.faults.ledger import Batch, Ledger, Outcome
from tests.faults.load import wait_until
from tests.faults.verify import retry_all, verify

CONNECTIONS, WAITING, TIMEOUT = 2, 4, 2
SMALL = {
    "MEMMACHINE_POOL_SIZE": str(CONNECTIONS),
    "MEMMACHINE_POOL_WAITING": str(WAITING),
    "MEMMACHINE_POOL_TIMEOUT": str(TIMEOUT),
}
SLACK = 3.0  # seconds, on a machine with other work


@pytest.fixture
def deployment(deployed):
    """A server that takes on little."""
    deployed.start(**SMALL)
    return deployed


def test_as_many_clients_as_may_wait_are_all_served(deployment, tenant, ledger, pace):
    # A pool grows one by one, and those who wait are as many whatever its size is.
    with deployment.load(tenant, Ledger(), pace.random, clients=3) as load:
        load.wait_for(Outcome.DONE, 30)
    tenant = deployment.new_tenant()
    with deployment.load(tenant, ledger, pace.random, clients=CONNECTIONS + WAITING) as load:
        load.wait_for(Outcome.DONE, pace.times(100, 2000))
    verify(deployment, tenant, ledger)
    assert ledger.answers.keys() == {Outcome.DONE}


def test_a_storm_is_partly_refused_and_never_hangs_and_loses_nothing(
    deployment, tenant, ledger, pace
):
    with deployment.load(tenant, ledger, pace.random, clients=24) as load:
        load.wait_for(Outcome.DONE, pace.times(100, 1500))
        load.wait_for(Outcome.OVERLOADED, 20)
    assert ledger.answers.keys() == {Outcome.DONE, Outcome.OVERLOADED}
    assert ledger.slowest < TIMEOUT + SLACK
    verify(deployment, tenant, ledger)
    answered = ledger.answers.copy()
    retry_all(deployment, tenant, ledger)
    assert ledger.answers[Outcome.OVERLOADED] == answered[Outcome.OVERLOADED]
    verify(deployment, tenant, ledger)


def test_clients_that_do_not_read_their_answers_keep_no_connection(deployment, tenant, ledger):
    output = "No socket's buffer holds this. " * 32_000
    block = {"kind": "tool_result", "name": "Bash", "output": output}
    caller = deployment.caller(tenant, ledger)
    body = [{"session_id": "large", "blocks": [block] * 16}]
    assert caller.http.post(f"{caller.root}/events", json=body).status_code == 200
    address = urlsplit(deployment.url)
    request = f"GET {caller.root}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as readers:
        for _ in range(CONNECTIONS):
            reader = readers.enter_context(
                socket.create_connection((address.hostname, address.port))
            )
            reader.sendall(request)
            assert reader.recv(12) == b"HTTP/1.1 200"
        assert caller.call("GET", "/sessions")[0] == Outcome.DONE
    caller.http.close()


def test_who_waits_is_refused_in_time_and_who_may_not_wait_at_once(
    deployment, tenant, ledger, pace
):
    """The tenant's row is held, so that writers keep their connections for as long as we like."""
    callers = [deployment.caller(tenant, ledger) for _ in range(CONNECTIONS + WAITING + 3)]
    batches = [Batch("held up", [new_id(pace.random)]) for _ in callers]
    ledger.batches += batches

    def post(n: int) -> tuple[Outcome, float]:
        started = time.monotonic()
        outcome = callers[n].post(batches[n])
        return outcome, time.monotonic() - started

    with ExitStack() as held, ThreadPoolExecutor(len(callers)) as pool:
        connection = held.enter_context(deployment.database.connection())
        held.enter_context(connection.transaction())
        connection.execute("SELECT FROM tenants_tenant WHERE name = %s FOR UPDATE", [tenant])
        working = [pool.submit(post, n) for n in range(CONNECTIONS)]
        wait_until(lambda: deployment.database.waiting_for_a_lock() == CONNECTIONS, within=10)
        others = [pool.submit(post, n) for n in range(CONNECTIONS, len(callers))]
        refused = [each.result() for each in others]
        held.close()
        served = [each.result() for each in working]
    assert [outcome for outcome, _ in served] == [Outcome.DONE] * CONNECTIONS
    assert [outcome for outcome, _ in refused] == [Outcome.OVERLOADED] * len(others)
    *at_once, first, _, _, last = sorted(seconds for _, seconds in refused)
    assert len(at_once) == 3
    assert max(at_once) < TIMEOUT / 2
    assert TIMEOUT * 0.9 < first <= last < TIMEOUT + SLACK
    verify(deployment, tenant, ledger)
    for caller in callers:
        caller.http.close()
