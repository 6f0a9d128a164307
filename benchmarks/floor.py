"""The floor: the statements of a request as bare psycopg, with no HTTP and no Django.

What the library says to the database is recorded while it answers a request, and then said again.
Left out are the statements that look for the tenant.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import psycopg
from django.db import connection
from psycopg import IsolationLevel
from psycopg.rows import TupleRow

Connection = psycopg.Connection[TupleRow]


class Statement(NamedTuple):
    sql: str
    params: Any


def connect() -> Connection:
    """A connection to the library's database that knows nothing of Django.

    Parameters are merged into the text by the client, as Django's are: the database gets the
    same text from both, and plans it each time for both.
    """
    given = connection.reaching()  # type: ignore[attr-defined]  # of our backends
    known = {name: given[name] for name in ("host", "port", "user", "password", "dbname")}
    return psycopg.connect(**known, autocommit=True, cursor_factory=psycopg.ClientCursor)


def recorded(action: Callable[[], Any]) -> list[Statement]:
    """The statements on data that an action of the library makes on this thread's connection."""
    statements: list[Statement] = []

    def record(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "tenants_tenant" not in sql:
            statements.append(Statement(sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        action()
    return statements


class Reader:
    """Says recorded reads again: all of a request's in one snapshot, every row fetched."""

    def __init__(self) -> None:
        self._connection = connect()
        self._connection.isolation_level = IsolationLevel.REPEATABLE_READ
        self._connection.read_only = True

    def __call__(self, statements: Sequence[Statement]) -> None:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            for sql, params in statements:
                cursor.execute(sql, params)
                if cursor.description:
                    cursor.fetchall()
