"""Statements that the ORM cannot say, or not as fast."""

ALIVE = "SELECT 1 FROM tenants_tenant WHERE id = %(tenant)s AND deleted_at IS NULL"

# A shared lock, which Django has no word for: writers do not wait for each other, and whoever
# deletes the tenant waits for them.
PIN = f"{ALIVE} FOR SHARE"
