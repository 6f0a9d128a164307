"""What cannot work is said before anything is served."""

import pytest
from django.db import connections

from memmachine.checks import (
    database_is_recent,
    defaults_are_configured,
    replica_has_a_primary,
    version_errors,
)


@pytest.mark.parametrize(
    ("server", "pgvector", "ids"),
    [
        (150000, "0.8.0", []),
        (180004, "0.10", []),
        (140012, "0.8.1", ["memmachine.E001"]),
        (180004, None, ["memmachine.E002"]),
        (180004, "0.7.4", ["memmachine.E003"]),
        (140012, None, ["memmachine.E001", "memmachine.E002"]),
    ],
)
def test_a_database_that_is_too_old_is_refused(server, pgvector, ids):
    assert [fault.id for fault in version_errors(server, pgvector)] == ids


def test_the_database_of_the_tests_is_recent(db):
    assert database_is_recent(databases=list(connections)) == []


def test_a_default_that_no_setting_names_is_refused(settings):
    assert defaults_are_configured() == []
    settings.MEMMACHINE_EMBEDDER = "oracle"
    settings.MEMMACHINE_RANKER = "oracle"
    faults = defaults_are_configured()
    assert [fault.id for fault in faults] == ["memmachine.E004", "memmachine.E005"]
    assert "hashing" in str(faults[0].hint)


def test_a_replica_of_the_embedded_database_is_refused(settings, monkeypatch):
    postgres = {"ENGINE": "django.db.backends.postgresql"}
    embedded = {"ENGINE": "memmachine.embedded"}
    for primary, ids in [(postgres, []), (embedded, ["memmachine.E010"])]:
        monkeypatch.setitem(settings.DATABASES, "default", primary)
        assert replica_has_a_primary() == []
        with monkeypatch.context() as patch:
            patch.setitem(settings.DATABASES, "replica", postgres)
            assert [fault.id for fault in replica_has_a_primary()] == ids
