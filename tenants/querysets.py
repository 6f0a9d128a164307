"""The words for sets of tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from memmachine.errors import TenantNotFound

if TYPE_CHECKING:
    from tenants.models import Tenant


class TenantQuerySet(models.QuerySet["Tenant"]):
    def live(self) -> TenantQuerySet:
        """Those that were not deleted."""
        return self.filter(deleted_at=None)

    def named(self, name: str) -> Tenant:
        """The live tenant of that name, or TenantNotFound."""
        try:
            return self.live().get(name=name)
        except self.model.DoesNotExist:
            raise TenantNotFound(f"There is no tenant {name!r}.") from None
