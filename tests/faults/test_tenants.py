"""Tenants deleted and events forgotten under the feet of those who write."""

import threading
import time

from tests.faults.deployment import SECONDS
from tests.faults.events import new_id
from tests.faults.ledger import Batch, Ledger, Outcome
from tests.faults.verify import check_whole, retry_all, verify


def test_a_tenant_deleted_under_load_comes_back_empty(deployment, tenant, pace):
    root = deployment.caller(tenant)
    for _ in range(pace.times(2, 8)):
        dying = deployment.database.lives(tenant)
        ledger = Ledger()
        with deployment.load(tenant, ledger, pace.random) as load:
            load.wait_for(Outcome.DONE, pace.times(50, 300))
            started = time.monotonic()
            assert root.http.delete(root.root).status_code == 204
            assert time.monotonic() - started < SECONDS
            load.wait_for(Outcome.NO_TENANT, 20)
        assert root.http.put(root.root).status_code == 201
        assert ledger.faults == []
        assert list(root.list()) == []
        assert root.call("GET", "/sessions")[1]["sessions"] == []
        check_whole(deployment, deployment.database.rows(dying))
        # The ids are free: what the former life was told counts for nothing.
        again = Ledger()
        again.batches = [Batch(batch.session_id, batch.ids) for batch in ledger.batches]
        caller = deployment.caller(tenant, again)
        assert {caller.post(batch) for batch in again.batches[:40]} == {Outcome.DONE}
        del again.batches[40:]
        verify(deployment, tenant, again)
        caller.http.close()
    root.http.close()


def test_a_forget_that_races_posts_of_the_same_events_leaves_none_in_part(
    deployment, tenant, ledger, pace
):
    batches = [Batch("raced", [new_id(pace.random) for _ in range(4)]) for _ in range(3)]
    stop = threading.Event()
    callers = [deployment.caller(tenant, ledger) for _ in range(6)]

    def post(n: int) -> None:
        while not stop.is_set():
            ids = batches[n].ids
            callers[n].post(Batch("raced", ids, Outcome.UNANSWERED))

    def forget(n: int) -> None:
        while not stop.is_set():
            callers[n].forget(list(batches[n % 3].ids))

    threads = [threading.Thread(target=post if n < 3 else forget, args=[n]) for n in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(pace.seconds(2, 20))
    stop.set()
    for thread in threads:
        thread.join()
    assert ledger.answers.keys() <= {Outcome.DONE, Outcome.EXISTS}
    raced = Ledger()
    raced.batches = [Batch("raced", batch.ids, Outcome.UNANSWERED) for batch in batches]
    verify(deployment, tenant, raced)
    retry_all(deployment, tenant, raced)
    assert len(verify(deployment, tenant, raced)) == 12
    for caller in callers:
        caller.forget([id for batch in batches for id in batch.ids])
        caller.http.close()
    assert ledger.faults == []
    assert deployment.database.rows(deployment.database.lives(tenant)) == []
    assert deployment.database.strays() == []
