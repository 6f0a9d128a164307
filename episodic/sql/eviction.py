"""Near-duplicates among what is stored."""

from episodic.models import COVERED_DIMENSIONS
from episodic.sql.dense import newer_than

# Until the transaction ends, this is the only one that evicts from the tenant.
ALONE = """
    SELECT pg_advisory_xact_lock(hashtextextended('episodic_eviction', %(tenant)s))
"""

# Events are locked in uuid order, as a forget locks them: then neither waits for the other
# while it is waited for.
EVICT = """
    WITH locked AS MATERIALIZED (
        SELECT e.id FROM (
            SELECT DISTINCT d.event_id, d.event_uuid FROM unnest(%(ids)s::bigint[]) AS gone (id)
             CROSS JOIN LATERAL (
                SELECT event_id, event_uuid FROM episodic_derivative WHERE id = gone.id OFFSET 0
             ) AS d ORDER BY d.event_uuid
        ) AS d CROSS JOIN LATERAL (
            SELECT id, tenant_id FROM episodic_event WHERE id = d.event_id OFFSET 0 FOR UPDATE
        ) AS e WHERE e.tenant_id = %(tenant)s
    )
    DELETE FROM episodic_derivative
     WHERE id = ANY(%(ids)s::bigint[]) AND (SELECT count(*) FROM locked) >= 0
"""


def stored_near(*, tenant_id: int, generation: int, dimensions: int, sealed: int | None) -> str:
    """For each of the new `vectors`, numbered from 1, the stored derivatives that are no farther
    than `farthest`, nearest first, as many as the number times `limit`."""
    covered = "<=" if dimensions <= COVERED_DIMENSIONS else ">"
    found = "d.id, d.timestamp, d.event_uuid"
    own = "d.tenant_id = %(tenant)s AND d.generation = %(generation)s"
    if sealed is None:
        rows = f"""
            SELECT {found}, d.embedding FROM episodic_derivative AS d
             WHERE {own} AND vector_dims(d.embedding) {covered} {COVERED_DIMENSIONS}
             ORDER BY d.timestamp
        """
    else:
        vector = f"halfvec({dimensions})"
        rows = f"""
            (SELECT {found}, d.embedding FROM episodic_derivative AS d
              WHERE d.tenant_id = {tenant_id} AND d.generation = {generation} AND d.id <= {sealed}
              ORDER BY d.embedding::{vector} <=> new.embedding::{vector}
              LIMIT %(limit)s * new.number)
            UNION ALL
            (SELECT {found}, d.embedding
               FROM ({newer_than(tenant_id, sealed, "d.*")}) AS d WHERE {own})
        """
    return f"""
        SELECT new.number, near.distance, near.timestamp, near.event_uuid, near.id
          FROM unnest(%(vectors)s::text[]::halfvec[]) WITH ORDINALITY AS new (embedding, number)
         CROSS JOIN LATERAL (
            SELECT * FROM (
                SELECT {found}, coalesce(nullif(d.embedding <=> new.embedding, 'NaN'), 1)
                       AS distance
                  FROM ({rows}) AS d
            ) AS d
             WHERE d.distance <= %(farthest)s
             ORDER BY d.distance, d.timestamp, d.event_uuid, d.id LIMIT %(limit)s * new.number
         ) AS near
    """
