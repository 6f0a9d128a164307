"""References inside a tenant, for migrations.

Django's `ForeignKey` references one column. Ours reference two, `(tenant_id, …_id)`, so that the
database refuses a row of one tenant that points into another.
"""

from django.db import migrations


def composite_foreign_key(child: str, column: str, parent: str) -> migrations.RunSQL:
    """`child (tenant_id, column)` references `parent (tenant_id, id)`, cascading on delete."""
    name = f"{child}_{column}_in_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE {child} ADD CONSTRAINT {name} FOREIGN KEY (tenant_id, {column})"
        f" REFERENCES {parent} (tenant_id, id) ON DELETE CASCADE",
        f"ALTER TABLE {child} DROP CONSTRAINT {name}",
    )
