"""SIGKILL in the middle of hundreds of ingests: nothing is lost, nothing is there in part."""

import time

import pytest

from tests.faults.deployment import SECONDS
from tests.faults.ledger import Outcome
from tests.faults.verify import retry_all, verify


@pytest.mark.parametrize("killed", ["the server", "the server and the database"])
def test_what_was_answered_outlives_a_kill_and_a_retry_makes_no_copy(
    deployment, tenant, ledger, pace, killed
):
    with deployment.load(tenant, ledger, pace.random) as load:
        load.wait_for(Outcome.DONE, pace.times(120, 800))
        deployment.kill()
        if killed != "the server":
            deployment.database.kill_everything()
        load.wait_for(Outcome.UNANSWERED, 1)
    deployment.start()
    verify(deployment, tenant, ledger)
    retry_all(deployment, tenant, ledger)
    held = verify(deployment, tenant, ledger)
    assert len(held) > 100 or pace.soaks


@pytest.mark.parametrize("victim", ["postmaster", "backend_at_work"])
def test_the_server_outlives_its_database_and_stores_again_within_seconds(
    deployment, tenant, ledger, pace, victim
):
    pid = deployment.pid
    for _ in range(pace.times(1, 5)):
        with deployment.load(tenant, ledger, pace.random) as load:
            load.wait_for(Outcome.DONE, pace.times(60, 300))
            getattr(deployment.database, f"kill_{victim}")()
            assert deployment.seconds_until_it_stores(tenant, ledger, pace.random) < SECONDS
            load.wait_for(Outcome.DONE, 30)
        verify(deployment, tenant, ledger)
    assert (deployment.pid, deployment.server.process.poll()) == (pid, None)
    retry_all(deployment, tenant, ledger)
    verify(deployment, tenant, ledger)


def test_the_first_request_after_the_death_of_an_idle_database_is_answered(
    deployment, tenant, ledger, pace
):
    with deployment.load(tenant, ledger, pace.random) as load:
        load.wait_for(Outcome.DONE, 60)
    deployment.database.wait_until_quiet()
    deployment.database.kill_postmaster()
    time.sleep(pace.seconds(0.1, 2))
    asked = sum(ledger.answers.values())
    assert deployment.seconds_until_it_stores(tenant, ledger, pace.random) < SECONDS / 2
    assert sum(ledger.answers.values()) == asked + 1
    verify(deployment, tenant, ledger)
