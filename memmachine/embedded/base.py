"""Django's PostgreSQL backend on the embedded server.

`DATABASES` names it: `{"ENGINE": "memmachine.embedded", "NAME": ..., "HOME": folder}`.
"""

import atexit
import os
from dataclasses import asdict
from functools import cache
from typing import Any

from memmachine.embedded.client import DatabaseClient
from memmachine.embedded.databases import server_with
from memmachine.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Starts the server, and makes the database, whenever a new connection needs them.

    With a pool it is the pool that connects: however long a start takes, a request waits no
    longer than the pool lets it.
    """

    client_class = DatabaseClient

    def reaching(self) -> dict[str, Any]:
        """Django's parameters, with those of the running server filled in."""
        params = super().reaching()
        server = server_with(self.settings_dict["HOME"], params["dbname"])
        _close_pools_at_exit(os.getpid())
        return params | asdict(server)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        return super().get_new_connection(conn_params if self.pool else self.reaching())


@cache
def _close_pools_at_exit(pid: int) -> None:
    """Let the pools of a process end before its server does, or they log that it went away.

    What is registered last runs first: the cluster's own release was registered before.
    """

    def close() -> None:
        if os.getpid() == pid:  # a forked child leaves its parent's connections alone
            for pool in DatabaseWrapper._connection_pools.values():
                pool.close()

    atexit.register(close)
