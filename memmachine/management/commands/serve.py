"""`manage.py serve`: the API on a loopback address, from one command."""

import errno
import ipaddress
import socket
from contextlib import nullcontext
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from episodic.maintenance import Maintenance
from memmachine.database import prepare_database
from memmachine.interrupts import terminable


class Command(BaseCommand):
    help = "Serve the API. The embedded database is started, and migrated, first."
    requires_system_checks = []  # run below, when there is a database to check

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="A loopback address or name.")
        parser.add_argument("--port", type=int, default=8000, help="0 chooses a free one.")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        settings.ALLOWED_HOSTS.append(f"[{host}]" if ":" in host else host)
        try:
            with terminable(), listening(host, port) as listener:
                prepare_database()
                self.stdout.write(f"MemMachine serves {url(listener)} (Ctrl-C stops it).")
                self.stdout.flush()
                with Maintenance() if settings.MEMMACHINE_MAINTENANCE == "on" else nullcontext():
                    serve(listener)
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
        finally:
            for each in connections.all():
                each.close_pool()  # type: ignore[attr-defined]  # of the PostgreSQL backend


def listening(host: str, port: int) -> socket.socket:
    """A socket on the address; CommandError where that cannot be had.

    Refused is an address that others reach, since there are no keys to ask them for.
    """
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise CommandError(
            f"{host} is not a loopback address (127.0.0.1, ::1, localhost):"
            " others would reach a server that asks for no keys."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OverflowError:
        raise CommandError(f"{port} is no port: a number from 0 to 65535 is wanted.") from None
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = "is taken; choose another with --port" if taken else f"fails: {error.strerror}"
        raise CommandError(f"Port {port} on {host} {reason}.") from None


def url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(listener: socket.socket) -> None:
    """Answer requests until a signal comes; what is under way then is still answered."""
    config = uvicorn.Config(
        "memmachine.asgi:application",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run(sockets=[listener])
