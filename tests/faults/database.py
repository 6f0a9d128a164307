"""The database below a server, behind the server's back: looked at, held up, and broken."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
import psycopg

from tests.e2e.conftest import database_pids
from tests.faults.load import wait_until

# Everything of an event but what differs from one ingest of it to the next.
ROWS_OF_EVENTS = """
    WITH t AS (SELECT unnest(%(tenants)s::bigint[]) AS id),
         ignored AS (SELECT '{id,uuid,tenant_id,event_id,event_uuid,segment_id,derivative_id,
                              session_id,stored_at,generation}'::text[] AS names)
    SELECT e.uuid, md5(jsonb_build_array(to_jsonb(e) - names, (
               SELECT jsonb_agg(to_jsonb(s) - names ORDER BY s.index, s.offset)
                 FROM episodic_segment s WHERE s.event_id = e.id
           ), (
               SELECT jsonb_agg(to_jsonb(d) - names ORDER BY d.id)
                 FROM episodic_derivative d WHERE d.event_id = e.id
           ), (
               SELECT jsonb_agg(jsonb_build_array(s.index, s.offset, l.start, l.stop)
                                ORDER BY s.index, s.offset, l.start)
                 FROM episodic_segment s JOIN episodic_link l ON l.segment_id = s.id
                 JOIN episodic_derivative d ON d.id = l.derivative_id AND d.event_id = e.id
                WHERE s.event_id = e.id
           ))::text)
      FROM t JOIN episodic_event e ON e.tenant_id = t.id CROSS JOIN ignored
"""
STRAYS = """
    SELECT 'segment', id FROM episodic_segment s
     WHERE NOT EXISTS (SELECT FROM episodic_event e WHERE e.id = s.event_id)
    UNION ALL
    SELECT 'derivative', id FROM episodic_derivative d
     WHERE NOT EXISTS (SELECT FROM episodic_link l WHERE l.derivative_id = d.id)
    UNION ALL
    SELECT 'link', derivative_id FROM episodic_link l
     WHERE NOT EXISTS (SELECT FROM episodic_derivative d WHERE d.id = l.derivative_id)
"""
AT_WORK = """
    SELECT count(*) FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
"""


class Database:
    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of our own; through a descriptor, since the folder's name may be long."""
        home = self.data_dir / "postgres"
        run = os.open(home / "run", os.O_RDONLY | os.O_DIRECTORY)
        try:
            with psycopg.connect(
                host=f"/proc/self/fd/{run}",
                user="memmachine",
                password=(home / "password").read_text(),
                dbname="memmachine",
                autocommit=True,
            ) as connection:
                yield connection
        finally:
            os.close(run)

    def fetch(self, statement: str, **params: Any) -> list[tuple[Any, ...]]:
        with self.connection() as connection:
            return connection.execute(statement.encode(), params).fetchall()

    def lives(self, tenant: str) -> int:
        """The key of the tenant that lives under a name."""
        ((id,),) = self.fetch("SELECT id FROM tenants_tenant WHERE name = %(name)s", name=tenant)
        return int(id)

    def rows(self, *tenants: int) -> list[tuple[UUID, str]]:
        """Each event with a digest of all its rows."""
        return [(uuid, digest) for uuid, digest in self.fetch(ROWS_OF_EVENTS, tenants=[*tenants])]

    def strays(self) -> list[tuple[Any, ...]]:
        return self.fetch(STRAYS)

    def wait_until_quiet(self) -> None:
        """Until nothing is under way any more that its client has given up on."""
        wait_until(lambda: self.fetch(AT_WORK) == [(0,)], within=15)

    def waiting_for_a_lock(self) -> int:
        statement = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        ((waiting,),) = self.fetch(statement)
        return int(waiting)

    def end_connections(self) -> int:
        """End every session but our own, as an administrator does; how many there were."""
        ended = self.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return len(ended)

    def kill_postmaster(self) -> None:
        kill(database_pids(self.data_dir)[0])

    def kill_backend_at_work(self) -> None:
        """SIGKILL one process that is in a transaction: the postmaster then restarts them all."""
        found: list[tuple[int]] = []

        def find() -> bool:
            found[:] = self.fetch(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
                " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL LIMIT 1"
            )
            return bool(found)

        wait_until(find, within=10)
        kill(found[0][0])

    def kill_everything(self) -> None:
        for pid in database_pids(self.data_dir):
            kill(pid)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError, psutil.NoSuchProcess):
        os.kill(pid, signal.SIGKILL)
