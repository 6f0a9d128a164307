from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from psycopg import IsolationLevel


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see the database as it was at the first of them.

    Inside a transaction of the caller's, that one's rules hold; what was set for the reads is
    undone at their end.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
        return
    connection.ensure_connection()
    # psycopg writes these into its BEGIN: they cost no round trip.
    driver = connection.connection
    driver.isolation_level, driver.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        with transaction.atomic():
            yield
    finally:
        if not driver.closed:
            driver.isolation_level = driver.read_only = None
