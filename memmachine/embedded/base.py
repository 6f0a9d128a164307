"""Django's PostgreSQL backend on the embedded server.

`DATABASES` names it: `{"ENGINE": "memmachine.embedded", "NAME": ..., "HOME": folder}`.
"""

import atexit
import os
import time
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

from django.db.backends.postgresql import base

from memmachine.embedded.client import DatabaseClient
from memmachine.embedded.cluster import ConnectionInfo
from memmachine.embedded.databases import server_with


class DatabaseWrapper(base.DatabaseWrapper):
    """Starts the server, and makes the database, when the first connection needs them."""

    client_class = DatabaseClient
    _connection_pools: ClassVar[dict[str, Any]]  # Django's own, which its stubs leave out

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters, with those of the running server filled in."""
        params: dict[str, Any] = super().get_connection_params()
        # Every checkout from a pool comes by here: the server is looked for once a second.
        second = int(time.monotonic())
        server = _server_with(self.settings_dict["HOME"], params["dbname"], os.getpid(), second)
        _close_pools_at_exit(os.getpid())
        return params | asdict(server)


@lru_cache(maxsize=8)
def _server_with(home: Path, name: str, pid: int, second: int) -> ConnectionInfo:
    return server_with(home, name)


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
