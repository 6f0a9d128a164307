"""The vector indexes of large tenants: which there are, which are wanted, how one is made."""

from episodic.models import VECTOR_INDEX_PREFIX, VectorIndex

# One builder at a time, whoever it is. A builder that was killed is one until PostgreSQL has
# done with what it asked for.
LOCK = "SELECT pg_try_advisory_lock(hashtext('episodic_vectorindex'))"

LAST_DERIVATIVE = "SELECT coalesce(max(id), 0) FROM episodic_derivative"

# Live tenants whose memory is large, or has an index: how much it holds, and how much of that
# came after the index was sealed. Looked at are those that wrote after `since`, or all where it
# is negative; one that is small costs no more than it holds.
LARGE_TENANTS = """
    WITH looked_at AS MATERIALIZED (
        SELECT t.id, t.name, t.generation, i.id AS index_id, i.rows AS sealed_rows, i.sealed
          FROM tenants_tenant AS t
          LEFT JOIN LATERAL (
            SELECT * FROM episodic_vectorindex
             WHERE tenant_id = t.id AND generation = t.generation AND ready_at IS NOT NULL
             ORDER BY id DESC LIMIT 1
          ) AS i ON TRUE
         WHERE t.deleted_at IS NULL AND (
            t.id IN (SELECT tenant_id FROM episodic_derivative WHERE id > %(since)s)
            OR (%(since)s < 0 AND i.id IS NOT NULL)
         )
    ), large AS MATERIALIZED (
        SELECT * FROM looked_at AS t
         WHERE t.index_id IS NOT NULL OR %(least)s < (
            SELECT count(*) FROM (
                SELECT FROM episodic_derivative AS d
                 WHERE d.tenant_id = t.id AND d.generation = t.generation
                 LIMIT %(least)s + 1
            ) AS counted
         )
    )
    SELECT t.id, t.name, t.generation, t.index_id, t.sealed_rows,
           coalesce((SELECT vector_dims(embedding) FROM episodic_derivative AS d
                      WHERE d.tenant_id = t.id AND d.generation = t.generation LIMIT 1), 0),
           coalesce((SELECT max(id) FROM episodic_derivative AS d WHERE d.tenant_id = t.id), 0),
           (SELECT count(*) FROM episodic_derivative AS d
             WHERE d.tenant_id = t.id AND d.generation = t.generation) AS rows,
           (SELECT count(*) FROM episodic_derivative AS d
             WHERE d.tenant_id = t.id AND d.generation = t.generation AND d.id > t.sealed)
      FROM large AS t
     ORDER BY rows DESC
"""

# Those that serve a dead tenant or a former generation, and those that were never finished.
STALE = """
    SELECT i.* FROM episodic_vectorindex AS i JOIN tenants_tenant AS t ON t.id = i.tenant_id
     WHERE t.deleted_at IS NOT NULL OR i.generation < t.generation OR i.ready_at IS NULL
"""

# What the catalog has under names of ours.
IN_CATALOG = f"""
    SELECT c.relname, i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'episodic_derivative'::regclass
       AND starts_with(c.relname, '{VECTOR_INDEX_PREFIX}')
"""

PROGRESS = """
    SELECT tuples_done FROM pg_stat_progress_create_index WHERE pid = %(pid)s
"""

ANALYZE = "ANALYZE episodic_event, episodic_segment, episodic_derivative, episodic_link"


def create(index: VectorIndex) -> str:
    return f"""
        CREATE INDEX CONCURRENTLY {index.name} ON episodic_derivative
         USING hnsw ((embedding::halfvec({index.dimensions})) halfvec_cosine_ops)
          WITH (m = 16, ef_construction = 128)
         WHERE {_sealed(index)}
    """


def drop(name: str) -> str:
    return f"DROP INDEX CONCURRENTLY IF EXISTS {name}"


# For a session of one's own: rows come in the order of the index.
SEARCH_THE_INDEX = """
    SELECT set_config('enable_sort', 'off', FALSE), set_config('enable_seqscan', 'off', FALSE),
           set_config('hnsw.iterative_scan', 'relaxed_order', FALSE)
"""


def cues(index: VectorIndex) -> str:
    """Made of two of its vectors each, twice the first and once the second: near to something,
    and equal to nothing. Ids in `places` say which."""
    one = f"""
        SELECT embedding FROM episodic_derivative
         WHERE {_sealed(index)} AND id >= place.{{}} AND l2_norm(embedding) > 0
         ORDER BY id LIMIT 1
    """
    return f"""
        SELECT (a.embedding + a.embedding + b.embedding)::text
          FROM unnest(%(places)s::bigint[], %(others)s::bigint[]) AS place (first, second)
         CROSS JOIN LATERAL ({one.format("first")}) AS a
         CROSS JOIN LATERAL ({one.format("second")}) AS b
    """


def exact_distances(index: VectorIndex) -> str:
    """The distances of the nearest vectors in the index, computed for all of them."""
    return f"""
        SELECT embedding <=> %(cue)s::halfvec AS distance FROM episodic_derivative
         WHERE {_sealed(index)} AND l2_norm(embedding) > 0 ORDER BY 1 LIMIT %(hits)s
    """


def found_within(index: VectorIndex) -> str:
    """How many of the nearest that the index gives are no farther than `farthest`."""
    distance = f"embedding::halfvec({index.dimensions}) <=> %(cue)s::halfvec({index.dimensions})"
    return f"""
        SELECT count(*) FILTER (WHERE distance <= %(farthest)s + 1e-6) FROM (
            SELECT distance FROM (
                SELECT {distance} AS distance FROM episodic_derivative
                 WHERE {_sealed(index)} ORDER BY {distance} LIMIT %(rows)s
            ) AS near ORDER BY distance LIMIT %(hits)s
        ) AS nearest
    """


def _sealed(index: VectorIndex) -> str:
    return (
        f"tenant_id = {index.tenant_id} AND generation = {index.generation}"
        f" AND id <= {index.sealed}"
    )
