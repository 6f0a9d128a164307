"""Statements that the ORM cannot say, or not as fast."""

# Every request begins with this one; the ORM takes longer to write it than to run it.
LIVE_BY_NAME = "SELECT * FROM tenants_tenant WHERE name = %(name)s AND deleted_at IS NULL"

# What the first statement of a transaction settles for the others: rows come in the order of an
# index that serves them. A planner that has not seen a tenant yet believes that it has one row,
# and takes any index that begins with the tenant.
# Where a sort cannot be avoided its cost is beyond all bounds, at which older servers would
# compile it.
IN_ORDER = """
    set_config('enable_sort', 'off', TRUE), set_config('enable_seqscan', 'off', TRUE),
    set_config('jit', 'off', TRUE)
"""

ALIVE = f"""
    SELECT {IN_ORDER} FROM tenants_tenant WHERE id = %(tenant)s AND deleted_at IS NULL
"""

# A shared lock, which Django has no word for: writers do not wait for each other, and whoever
# deletes the tenant waits for them.
PIN = f"{ALIVE} FOR SHARE"
