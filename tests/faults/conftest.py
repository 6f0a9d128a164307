import logging
from collections.abc import Iterator

import pytest

from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger
from tests.faults.pace import Pace

logging.getLogger("httpx").setLevel(logging.WARNING)  # thousands of lines a test


@pytest.fixture
def pace(request: pytest.FixtureRequest) -> Pace:
    return Pace(request.node.nodeid)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture(scope="package")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """One data directory for all; its name is too long for a socket, which is the harder case."""
    deployment = Deployment(tmp_path_factory.mktemp("a-long-name-" * 8))
    try:
        assert deployment.reference
        yield deployment
    finally:
        deployment.stop()


@pytest.fixture
def deployment(deployed: Deployment) -> Deployment:
    """A server with a small pool that nothing is wrong with."""
    deployed.start()
    return deployed


@pytest.fixture
def tenant(deployment: Deployment) -> str:
    return deployment.new_tenant()
