from collections.abc import Iterable
from uuid import UUID

from django.db import connection, transaction

from episodic.sql import writing as sql
from tenants.models import Tenant
from tenants.services import pin


@transaction.atomic
def forget(tenant: Tenant, uuids: Iterable[UUID]) -> None:
    """Remove events and all that came of them; ids that the tenant does not hold are ignored."""
    pin(tenant)
    with connection.cursor() as cursor:
        cursor.execute(sql.FORGET, {"tenant": tenant.pk, "uuids": list(set(uuids))})
