"""Combinations that cannot work, said before anything is served."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

OLDEST_POSTGRES = 150000
OLDEST_PGVECTOR = (0, 8)


@register(Tags.database)
def database_is_recent(
    *, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """PostgreSQL 15 or later with pgvector 0.8 or later (iterative index scans, halfvec)."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        with connections[alias].cursor() as cursor:
            cursor.execute("SHOW server_version_num")
            server = int(cursor.fetchone()[0])
            cursor.execute(
                "SELECT coalesce(installed.extversion, offered.default_version)"
                "  FROM pg_available_extensions offered"
                "  LEFT JOIN pg_extension installed ON installed.extname = offered.name"
                " WHERE offered.name = 'vector'"
            )
            row = cursor.fetchone()
        found += version_errors(server, row[0] if row else None)
    return found


def version_errors(server: int, pgvector: str | None) -> list[CheckMessage]:
    """What is missing, given `server_version_num` and the version of pgvector, if it is there."""
    found: list[CheckMessage] = []
    if server < OLDEST_POSTGRES:
        found.append(
            Error(
                f"The database is PostgreSQL {server // 10000}; 15 or later is needed.",
                hint="Point DATABASE_URL at a newer server, or unset it to use the embedded one.",
                id="memmachine.E001",
            )
        )
    if pgvector is None:
        found.append(
            Error(
                "The database has no pgvector; 0.8 or later is needed.",
                hint="Install the extension's package beside the server"
                " (Debian: postgresql-NN-pgvector), or unset DATABASE_URL.",
                id="memmachine.E002",
            )
        )
    elif tuple(int(part) for part in pgvector.split(".")[:2]) < OLDEST_PGVECTOR:
        found.append(
            Error(
                f"The database has pgvector {pgvector}; 0.8 or later is needed.",
                hint="Upgrade the package, then run ALTER EXTENSION vector UPDATE.",
                id="memmachine.E003",
            )
        )
    return found


@register
def defaults_are_configured(**kwargs: Any) -> list[CheckMessage]:
    """The embedder and the ranker of new tenants are entries of their settings."""
    return [
        Error(
            f"{name} is {chosen!r}, which {table} does not name.",
            hint=f"Choose one of: {', '.join(sorted(getattr(settings, table)))}.",
            id=id,
        )
        for name, table, id in [
            ("MEMMACHINE_EMBEDDER", "EMBEDDERS", "memmachine.E004"),
            ("MEMMACHINE_RANKER", "RANKERS", "memmachine.E005"),
        ]
        if (chosen := getattr(settings, name)) not in getattr(settings, table)
    ]


@register
def replica_has_a_primary(**kwargs: Any) -> list[CheckMessage]:
    """A replica replicates a server that is reached by an address; the embedded one is not."""
    embedded = settings.DATABASES["default"]["ENGINE"] == "memmachine.embedded"
    if "replica" not in settings.DATABASES or not embedded:
        return []
    return [
        Error(
            "MEMMACHINE_REPLICA_URL is set and DATABASE_URL is not:"
            " no other machine reaches the embedded database, so nothing can replicate it.",
            hint="Set DATABASE_URL to the primary, or unset MEMMACHINE_REPLICA_URL.",
            id="memmachine.E010",
        )
    ]
