"""What stays on the primary though there is a replica; the rest is in `tests/e2e`."""

import pytest
from django.db import connections

from memmachine.replica import REPLICA, Replica
from memmachine.snapshot import reading_from, snapshot
from tests.factories import message


def test_without_the_setting_there_is_no_replica():
    assert not Replica().is_usable()


def test_a_read_inside_a_transaction_sees_what_that_wrote(memory, monkeypatch):
    monkeypatch.setitem(connections.settings, REPLICA, {"ENGINE": "nowhere"})
    memory.encode([message("a foghorn")])
    assert len(memory.query("foghorn")) == 1


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_inside_a_snapshot_is_the_same(monkeypatch):
    monkeypatch.setitem(connections.settings, REPLICA, {"ENGINE": "nowhere"})
    assert Replica().is_usable()
    with snapshot():
        assert not Replica().is_usable()
        with snapshot(REPLICA):
            assert reading_from() == "default"
