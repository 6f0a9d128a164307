"""Events forgotten in bounded batches."""

from typing import Any

from episodic.position import utc
from episodic.sql.conditions import Statement


def _tests(scope: Any, alias: str) -> tuple[str, dict[str, Any]]:
    tests = {
        "before": f"{alias}.timestamp < %(before)s",
        "session_id": f"{alias}.session_id = %(session_id)s",
        "source_id": f"{alias}.source_id = %(source_id)s",
    }
    params = {name: value for name in tests if (value := getattr(scope, name)) is not None}
    if "before" in params:
        params["before"] = utc(params["before"])
    return " AND ".join(["TRUE", *(tests[name] for name in params)]), params


def matching(tenant_ids: list[int], scope: Any) -> Statement:
    """How many events of each of the tenants are in the scope, where any is."""
    tests, params = _tests(scope, "e")
    statement = f"""
        SELECT named.id, held.events FROM unnest(%(tenants)s::bigint[]) AS named (id)
         CROSS JOIN LATERAL (
            SELECT count(*) AS events FROM episodic_event AS e
             WHERE e.tenant_id = named.id AND {tests}
         ) AS held
         WHERE held.events > 0
    """
    return statement, params | {"tenants": tenant_ids}


def forget_batch(
    tenant_id: int, scope: Any, *, after: tuple[Any, Any] | None, size: int
) -> Statement:
    """Forget the oldest events of the scope that come after a (timestamp, uuid) and that nobody
    else has locked; the cascade takes all that came of them. Returned are their places."""
    tests, params = _tests(scope, "e")
    if after is not None:
        tests += " AND (e.timestamp, e.uuid) > (%(after_timestamp)s, %(after_uuid)s)"
        params |= {"after_timestamp": after[0], "after_uuid": after[1]}
    statement = f"""
        WITH batch AS MATERIALIZED (
            SELECT e.id, e.timestamp, e.uuid FROM episodic_event AS e
             WHERE e.tenant_id = %(tenant)s AND {tests}
             ORDER BY e.timestamp, e.uuid LIMIT %(size)s FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM episodic_event WHERE id = ANY(ARRAY(SELECT id FROM batch))
        )
        SELECT timestamp, uuid FROM batch
    """
    return statement, params | {"tenant": tenant_id, "size": size}
