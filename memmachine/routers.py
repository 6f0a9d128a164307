"""Which database the ORM talks to where there is a replica."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model

from memmachine.snapshot import reading_from


class ReplicaRouter:
    """What is remembered is read where the snapshot is; all else goes to the primary.

    Each answer is an alias: to None Django would go where the instance at hand was read, which
    cannot be written to.
    """

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return reading_from() if model._meta.app_label == "episodic" else DEFAULT_DB_ALIAS

    def db_for_write(self, model: type[Model], **hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool:
        return True  # both are of one database, wherever they were read

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == DEFAULT_DB_ALIAS
