"""Every migration can be undone and done again."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests.factories import message


@pytest.mark.django_db(transaction=True)
def test_the_migrations_run_back_and_forth_on_a_database_with_data(memory):
    memory.encode([message("soon gone")])
    call_command("migrate", "episodic", "0001", verbosity=0)
    assert "episodic_event" not in connection.introspection.table_names()
    call_command("migrate", verbosity=0)
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    memory.encode([message("here again")])
    assert len(memory.query("again")) == 1


@pytest.mark.django_db(transaction=True)
def test_the_last_migrations_run_back_under_data(memory):
    memory.encode([message("still here")])
    call_command("migrate", "episodic", "0002", verbosity=0)
    call_command("migrate", verbosity=0)
    assert len(memory.query("still")) == 1
