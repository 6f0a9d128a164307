"""A database that is reached, migrated and checked, before a command uses it."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor


def prepare_database() -> None:
    """Reach the database, migrate the embedded one, and check what only a database can tell.

    CommandError, in one line, where any of it fails.
    """
    try:
        # Not through the pool, which would wait for a server that is not there.
        params = {"connect_timeout": 10} | connection.reaching()  # type: ignore[attr-defined]  # of our backends
        psycopg.connect(**params).close()
        found = run_checks(databases=[DEFAULT_DB_ALIAS])
        if faults := [fault for fault in found if fault.is_serious() and not fault.is_silenced()]:
            raise CommandError(" ".join(f"{fault.msg} {fault.hint or ''}" for fault in faults))
        if connection.settings_dict["ENGINE"] == "memmachine.embedded":
            call_command("migrate", verbosity=0, interactive=False)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not migrated; run `manage.py migrate` first.")
    except (DatabaseError, psycopg.Error) as error:
        raise CommandError(f"The database cannot be used: {' '.join(str(error).split())}") from None
    finally:
        connection.close()  # back to the pool, which a server's own thread would keep it from


def unpooled() -> BaseDatabaseWrapper:
    """A connection outside the pool."""
    session: BaseDatabaseWrapper = connection.copy()
    session.settings_dict["OPTIONS"] = {
        name: value for name, value in session.settings_dict["OPTIONS"].items() if name != "pool"
    }
    return session


@contextmanager
def own_session() -> Iterator[BaseDatabaseWrapper]:
    """A connection of one's own, for what locks for long or runs in no transaction."""
    session = unpooled()
    try:
        yield session
    finally:
        session.close()
