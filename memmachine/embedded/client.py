"""`manage.py dbshell` with the wheel's own psql."""

from typing import Any

from django.db.backends.postgresql import client

from memmachine.embedded.binaries import PROGRAMS, wheel
from memmachine.embedded.databases import ALWAYS_THERE, server_with


class DatabaseClient(client.DatabaseClient):
    """Runs psql against the embedded server, started if need be."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Any
    ) -> tuple[list[str], dict[str, str] | None]:
        """Django's command line, with the running server's address filled in."""
        server = server_with(settings_dict["HOME"], settings_dict["NAME"] or ALWAYS_THERE)
        address = {
            "HOST": server.host,
            "PORT": server.port,
            "USER": server.user,
            "PASSWORD": server.password,
        }
        args, env = super().settings_to_cmd_args_env(settings_dict | address, parameters)
        return [str(wheel() / PROGRAMS / "psql"), *args[1:]], env
