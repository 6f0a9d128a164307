"""Indexes that migrations build beside readers and writers."""

from contextlib import closing

import pytest
from django.db import OperationalError, connection, migrations, models, transaction

from memmachine.concurrent_index import AddIndexBeside
from tenants.models import Tenant

pytestmark = pytest.mark.django_db(transaction=True)


class State:
    """What an operation asks of a migration's state."""

    def __init__(self) -> None:
        self.apps = Tenant._meta.apps


INDEX = models.Index(fields=["created_at"], name="built_beside")


def build() -> None:
    with connection.schema_editor(atomic=False) as editor:
        AddIndexBeside("tenant", INDEX).database_forwards("tenants", editor, State(), State())


def validity() -> list[bool]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('built_beside')"
        )
        return [valid for (valid,) in cursor.fetchall()]


@pytest.fixture(autouse=True)
def _dropped():
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS built_beside")


def test_an_invalid_index_of_an_interrupted_run_is_built_again():
    build()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'built_beside'::regclass"
        )
    build()
    assert validity() == [True]


def test_a_run_that_ended_before_it_was_recorded_is_run_again():
    build()
    build()
    assert validity() == [True]


def test_a_build_that_was_cut_off_while_it_waited_for_a_writer_is_run_again():
    with closing(connection.copy()) as other, other.cursor() as building:
        building.execute("SET statement_timeout = '300ms'")
        with transaction.atomic():
            Tenant.objects.create(name="written meanwhile")
            with pytest.raises(OperationalError, match="statement timeout"):
                building.execute(
                    "CREATE INDEX CONCURRENTLY built_beside ON tenants_tenant (created_at)"
                )
    assert validity() == [False]
    build()
    assert validity() == [True]


def test_every_index_on_a_large_table_is_built_beside():
    """From the migration on that came after the first release of the tables."""
    from importlib import import_module

    for number in ("0005_vectorindex", "0006_found_beside"):
        migration = import_module(f"episodic.migrations.{number}").Migration
        for operation in migration.operations:
            if isinstance(operation, migrations.AddIndex):
                assert isinstance(operation, AddIndexBeside)
                assert migration.atomic is False
