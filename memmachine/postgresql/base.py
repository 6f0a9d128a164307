"""Django's PostgreSQL backend, with a pool that outlives the server it is connected to."""

from typing import Any, ClassVar

import psycopg
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

Pool = ConnectionPool[psycopg.Connection[Any]]


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of Django's; its pool, as there, is made with `OPTIONS["pool"]`."""

    _connection_pools: ClassVar[dict[str, Any]]  # Django's own, which its stubs leave out

    def reaching(self) -> dict[str, Any]:
        """What the server can be reached with now."""
        params: dict[str, Any] = self.get_connection_params()
        return params

    @property
    def pool(self) -> Pool | None:
        options = self.settings_dict["OPTIONS"].get("pool")
        if self.alias == NO_DB_ALIAS or not options:
            return None
        if self.alias not in self._connection_pools:
            self.reaching()  # what is wrong from the start is said to whoever is first
            made = self._make_pool({} if options is True else options)
            self._connection_pools.setdefault(self.alias, made)  # of two threads, the first sets it
        pool: Pool = self._connection_pools[self.alias]
        return pool

    def _make_pool(self, options: dict[str, Any]) -> Pool:
        def check(connection: psycopg.Connection[Any]) -> None:
            try:
                pool.check_connection(connection)
            except psycopg.Error:
                # The pool waits longer after each dead connection that it hands out, and they
                # mostly die together: a client would give up before it came to the last.
                pool.check()
                raise

        pool: Pool = ConnectionPool(
            # Asked for by each new connection: a server may come back under another address.
            kwargs=lambda: self.reaching() | {"autocommit": True},
            open=False,
            configure=self._configure_connection,  # type: ignore[attr-defined]
            check=check if self.settings_dict["CONN_HEALTH_CHECKS"] else None,
            **options,
        )
        return pool
