"""Connections dropped on either side: of the pool to the database, of clients to the server."""

import time
from concurrent.futures import ThreadPoolExecutor

from tests.faults.deployment import POOL, SECONDS
from tests.faults.events import new_id
from tests.faults.ledger import Batch, Outcome
from tests.faults.raw import post_and_go
from tests.faults.verify import retry_all, verify

CONNECTIONS = int(POOL["MEMMACHINE_POOL_SIZE"])


def test_dropped_database_connections_lose_nothing_that_was_answered(
    deployment, tenant, ledger, pace
):
    with deployment.load(tenant, ledger, pace.random) as load:
        for _ in range(pace.times(6, 40)):
            time.sleep(pace.seconds(0.2, 1.5))
            assert deployment.database.end_connections()
        assert deployment.seconds_until_it_stores(tenant, ledger, pace.random) < SECONDS
        load.wait_for(Outcome.DONE, 20)
    verify(deployment, tenant, ledger)
    retry_all(deployment, tenant, ledger)
    verify(deployment, tenant, ledger)


def test_one_request_is_answered_though_every_pooled_connection_died_while_idle(
    deployment, tenant, ledger, pace
):
    with deployment.load(tenant, ledger, pace.random) as load:
        load.wait_for(Outcome.DONE, 40)
    deployment.database.wait_until_quiet()
    assert deployment.database.end_connections() >= CONNECTIONS - 1
    caller = deployment.caller(tenant, ledger)
    ledger.begin(batch := Batch("after", [new_id(pace.random)]))
    assert caller.post(batch) == Outcome.DONE
    caller.http.close()


def test_clients_that_go_away_leave_no_part_of_a_batch_and_no_connection_taken(
    deployment, tenant, ledger, pace
):
    random = pace.random

    def go(n: int) -> None:
        batch = Batch("gone", [new_id(random) for _ in range(5)])
        post_and_go(deployment.url, tenant, ledger, batch, (n % 4 + 1) / 4, reset=n % 3 == 0)

    with deployment.load(tenant, ledger, random, clients=2) as load:
        for n in range(pace.times(120, 600)):
            go(n)
        load.wait_for(Outcome.DONE, 10)
    verify(deployment, tenant, ledger)
    assert any(batch.unknown for batch in ledger.batches)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        callers = [deployment.caller(tenant, ledger) for _ in range(CONNECTIONS)]
        answers = list(pool.map(lambda caller: caller.call("GET", "/events"), callers))
    for caller in callers:
        caller.http.close()
    assert [outcome for outcome, _ in answers] == [Outcome.DONE] * CONNECTIONS
    retry_all(deployment, tenant, ledger)
    verify(deployment, tenant, ledger)
