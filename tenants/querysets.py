"""The words for sets of tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from memmachine.errors import TenantNotFound
from tenants import sql

if TYPE_CHECKING:
    from tenants.models import Tenant


class TenantQuerySet(models.QuerySet["Tenant"]):
    def live(self) -> TenantQuerySet:
        """Those that were not deleted."""
        return self.filter(deleted_at=None)

    def dead(self) -> TenantQuerySet:
        """Those whose rows wait for the purge, the one that was deleted first first."""
        return self.exclude(deleted_at=None).order_by("deleted_at", "pk")

    def named(self, name: str) -> Tenant:
        """The live tenant of that name, or TenantNotFound."""
        for tenant in self.raw(sql.LIVE_BY_NAME, {"name": name}):
            return tenant
        raise TenantNotFound(f"There is no tenant {name!r}.")
