"""Nothing but the reads of a memory leaves the primary."""

from django.db import router

from episodic.models import Event
from memmachine.routers import ReplicaRouter
from memmachine.snapshot import reading_from
from tenants.models import Tenant

ROUTER = ReplicaRouter()


def test_what_was_read_on_the_replica_is_written_and_followed_on_the_primary(settings):
    settings.DATABASE_ROUTERS = ["memmachine.routers.ReplicaRouter"]
    event, tenant = Event(), Tenant()
    event._state.db = "replica"
    assert router.db_for_write(Event, instance=event) == "default"
    assert router.db_for_read(Tenant, instance=event) == "default"
    assert router.allow_relation(event, tenant)


def test_outside_a_snapshot_reads_go_to_the_primary():
    assert reading_from() == "default"
    assert ROUTER.db_for_read(Event) == "default"


def test_a_replica_is_not_migrated():
    assert ROUTER.allow_migrate("default", "episodic")
    assert not ROUTER.allow_migrate("replica", "episodic")
