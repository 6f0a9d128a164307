"""Reads that see one state of one database, and which database that is."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import IsolationLevel

_alias: ContextVar[str] = ContextVar("reading", default=DEFAULT_DB_ALIAS)


def reading_from() -> str:
    """The alias of the database that is read at the moment: outside a snapshot the primary."""
    return _alias.get()


def reading() -> BaseDatabaseWrapper:
    """The connection that reads of the moment go to."""
    return connections[_alias.get()]


@contextmanager
def snapshot(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """All reads inside see the database `using` as it was at the first of them.

    Inside a transaction of the caller's, or another snapshot, that one's rules hold; what was
    set for the reads is undone at their end.
    """
    if reading().in_atomic_block:
        with transaction.atomic(reading_from()):
            yield
            transaction.set_rollback(True, reading_from())
        return
    connection = connections[using]
    connection.ensure_connection()
    # psycopg writes these into its BEGIN: they cost no round trip.
    driver = connection.connection
    driver.isolation_level, driver.read_only = IsolationLevel.REPEATABLE_READ, True
    token = _alias.set(using)
    try:
        with transaction.atomic(using):
            yield
    finally:
        _alias.reset(token)
        if not driver.closed:
            driver.isolation_level = driver.read_only = None
