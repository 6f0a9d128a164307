"""Statements that the ORM cannot say, or not as fast."""

# Every request begins with this one; the ORM takes longer to write it than to run it.
LIVE_BY_NAME = "SELECT * FROM tenants_tenant WHERE name = %(name)s AND deleted_at IS NULL"

ALIVE = "SELECT 1 FROM tenants_tenant WHERE id = %(tenant)s AND deleted_at IS NULL"

# A shared lock, which Django has no word for: writers do not wait for each other, and whoever
# deletes the tenant waits for them.
PIN = f"{ALIVE} FOR SHARE"
