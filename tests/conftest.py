"""Fixtures of all tests. Every database is a real PostgreSQL; the embedder is `hashing`."""

import pytest
from django.test import Client

from episodic.memory import EventMemory
from tenants.models import Tenant


@pytest.fixture(autouse=True)
def _hashing(settings):
    """New tenants embed by hashing: deterministic, and no model is loaded."""
    settings.MEMMACHINE_EMBEDDER = "hashing"


@pytest.fixture
def tenant(db) -> Tenant:
    return Tenant.objects.create(name="tenant")


@pytest.fixture
def stranger(db) -> Tenant:
    """Another tenant. What it holds must never show."""
    return Tenant.objects.create(name="stranger")


@pytest.fixture
def memory(tenant: Tenant) -> EventMemory:
    return EventMemory(tenant)


@pytest.fixture
def strange_memory(stranger: Tenant) -> EventMemory:
    return EventMemory(stranger)


class Api(Client):
    """The API as a client of one tenant sees it; bodies and answers are JSON."""

    root = "/v1/tenants/tenant"

    def send(self, path: str, body: object, **kwargs):
        return self.post(self.root + path, body, content_type="application/json", **kwargs)

    def fetch(self, path: str, **params):
        return self.get(self.root + path, params)


@pytest.fixture
def api(tenant: Tenant) -> Api:
    return Api(raise_request_exception=False)
