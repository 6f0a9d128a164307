"""The databases on the embedded server: `CREATE DATABASE` is nobody's chore."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import psycopg
from psycopg.errors import DuplicateDatabase, UniqueViolation
from psycopg.sql import SQL, Identifier

from memmachine.embedded.cluster import ConnectionInfo, cluster

ALWAYS_THERE = "postgres"
_present: set[tuple[ConnectionInfo, str]] = set()


def server_with(home: Path | str, name: str) -> ConnectionInfo:
    """The running server under `home` with a database in it, looked up once a process."""
    server = cluster(home).start()
    if name == ALWAYS_THERE or (server, name) in _present:
        return server
    with psycopg.connect(**asdict(server), dbname=ALWAYS_THERE, autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone():
            with suppress(DuplicateDatabase, UniqueViolation):  # another process was faster
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    _present.add((server, name))
    return server
