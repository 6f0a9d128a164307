"""Statements that the ORM cannot say. Values are bound; what is composed is text of ours.

Two habits run through them. A row is looked up by its key inside a fence (`OFFSET 0`) and its
tenant checked outside: a planner that has not seen a tenant yet believes that it has one row,
and would rather scan all of them than use the key. And a position is compared as a row value,
which is one range of the index where a chain of ORs is a scan.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from episodic.filters.compilation import Compilation
from episodic.models import COVERED_DIMENSIONS
from episodic.position import utc

if TYPE_CHECKING:
    from episodic.recall.selection import Selection
    from episodic.recall.timeline import Seed

Statement = tuple[str, dict[str, Any]]

POSITION = 'timestamp, event_uuid, index, "offset"'
BACKWARDS = 'timestamp DESC, event_uuid DESC, index DESC, "offset" DESC'
SEGMENT_COLUMNS = (
    'n.id, n.tenant_id, n.uuid, n.event_id, n.event_uuid, n.index, n."offset", n.session_id,'
    " n.timestamp, n.source_id, n.block_kind, n.block, n.properties"
)


def columns(selection: "Selection", alias: str) -> tuple[str, dict[str, Any]]:
    """The conditions of a selection on columns that segments and derivatives share."""
    tests = {
        "session_ids": f"{alias}.session_id = ANY(%(session_ids)s::text[])",
        "source_ids": f"{alias}.source_id = ANY(%(source_ids)s::text[])",
        "block_kinds": f"{alias}.block_kind = ANY(%(block_kinds)s::text[])",
        "since": f"{alias}.timestamp >= %(since)s",
        "until": f"{alias}.timestamp < %(until)s",
    }
    params = {
        name: utc(value) if isinstance(value, datetime) else list(value)
        for name in tests
        if (value := getattr(selection, name)) is not None
    }
    return " AND ".join(["TRUE", *(tests[name] for name in params)]), params


def expression(selection: "Selection", alias: str) -> tuple[str, dict[str, Any]]:
    """The condition of a selection's filter expression."""
    if selection.filter is None:
        return "TRUE", {}
    compilation = Compilation(alias)
    return compilation.condition(selection.filter), compilation.params


def segment_of(alias: str) -> str:
    """The segment that a row names, looked up by its key alone."""
    return f"SELECT * FROM episodic_segment WHERE id = {alias}.segment_id OFFSET 0"


def nearest(
    *,
    tenant_id: int,
    generation: int,
    cue: str,
    dimensions: int,
    limit: int,
    per_segment: int,
    farthest: float,
    selection: "Selection",
) -> Statement:
    """The `limit` segments whose best derivative is nearest to the cue, exactly.

    A segment has at most `per_segment` derivatives, which says how many of the nearest rows are
    enough. With an expression, all rows are sorted once and segments probed in that order until
    enough were kept, so that no estimate of what the expression keeps is needed. Equally near
    derivatives stand in timeline order: within an event, that of their ids.
    """
    column_tests, column_params = columns(selection, "d")
    filter_test, filter_params = expression(selection, "s")
    covered = "<=" if dimensions <= COVERED_DIMENSIONS else ">"
    if selection.filter is None:
        near_limit, probe, kept_limit = "LIMIT %(rows)s", "", ""
    else:
        near_limit, kept_limit = "", "LIMIT %(rows)s"
        probe = f"CROSS JOIN LATERAL ({segment_of('l')}) AS s"
        filter_test = f"s.tenant_id = %(tenant)s AND {filter_test}"
    statement = f"""
        WITH near AS MATERIALIZED (
            SELECT d.id, d.timestamp, d.event_uuid,
                   coalesce(nullif(d.embedding <=> %(cue)s::halfvec, 'NaN'), 1) AS distance
              FROM episodic_derivative AS d
             WHERE d.tenant_id = %(tenant)s AND d.generation = %(generation)s
               AND vector_dims(d.embedding) {covered} {COVERED_DIMENSIONS} AND {column_tests}
             ORDER BY distance, timestamp, event_uuid, id {near_limit}
        ), kept AS (
            SELECT near.*, l.segment_id
              FROM near
             CROSS JOIN LATERAL (
                SELECT tenant_id, segment_id FROM episodic_link
                 WHERE derivative_id = near.id OFFSET 0
             ) AS l {probe}
             WHERE near.distance <= %(farthest)s AND l.tenant_id = %(tenant)s AND {filter_test}
             ORDER BY near.distance, near.timestamp, near.event_uuid, near.id {kept_limit}
        ), best AS (
            SELECT segment_id, min(distance) AS distance
              FROM kept
             GROUP BY segment_id, timestamp, event_uuid
             ORDER BY min(distance), timestamp, event_uuid, min(id) LIMIT %(limit)s
        )
        SELECT s.id, s.session_id, s.timestamp, s.event_uuid, s.index, s."offset", best.distance
          FROM best CROSS JOIN LATERAL ({segment_of("best")}) AS s
         WHERE s.tenant_id = %(tenant)s
         ORDER BY best.distance, s.timestamp, s.event_uuid, s.index, s."offset"
    """
    params = column_params | filter_params
    params |= {"tenant": tenant_id, "generation": generation, "cue": cue, "farthest": farthest}
    params |= {"limit": limit, "rows": limit * per_segment}
    return statement, params


def walk(
    *,
    tenant_id: int,
    seeds: Sequence["Seed"],
    before: int,
    after: int,
    reach: int,
    selection: "Selection",
) -> Statement:
    """Each seed (side 0) and its neighbours before (-1) and after (1), in timeline order.

    The `reach` nearest rows of a side are read in the index's order; the selection and the
    count apply to those.
    """
    column_tests, column_params = columns(selection, "w")
    filter_test, filter_params = expression(selection, "w")
    sides = ["(SELECT 0 AS side, * FROM episodic_segment WHERE id = seed.id OFFSET 0)"]
    for side, compare, order, count, asked in [
        (-1, "<", BACKWARDS, "before", before),
        (1, ">", POSITION, "after", after),
    ]:
        if not asked:
            continue  # a side that nobody asked for would still be planned
        sides.append(f"""(
            SELECT {side}, w.* FROM (
                SELECT * FROM episodic_segment AS s
                 WHERE s.tenant_id = %(tenant)s AND s.session_id = seed.session_id
                   AND ({POSITION})
                       {compare} (seed.timestamp, seed.event_uuid, seed.index, seed."offset")
                 ORDER BY {order} LIMIT %(reach)s
            ) AS w
             WHERE {column_tests} AND {filter_test}
             ORDER BY {order} LIMIT %({count})s
        )""")
    statement = f"""
        WITH seed AS (
            SELECT * FROM unnest(
                %(seed_ids)s::bigint[], %(seed_sessions)s::text[],
                %(seed_timestamps)s::timestamptz[], %(seed_events)s::uuid[],
                %(seed_indexes)s::int[], %(seed_offsets)s::int[]
            ) WITH ORDINALITY
              AS seed (id, session_id, timestamp, event_uuid, index, "offset", ordinal)
        )
        SELECT {SEGMENT_COLUMNS}, seed.ordinal, n.side, e.context, e.utc_offset
          FROM seed CROSS JOIN LATERAL ({" UNION ALL ".join(sides)}) AS n
         CROSS JOIN LATERAL (
            SELECT tenant_id, context, utc_offset FROM episodic_event
             WHERE id = n.event_id OFFSET 0
         ) AS e
         WHERE n.tenant_id = %(tenant)s AND e.tenant_id = %(tenant)s
         ORDER BY seed.ordinal, n.timestamp, n.event_uuid, n.index, n."offset"
    """
    params = column_params | filter_params
    params |= {"tenant": tenant_id, "before": before, "after": after, "reach": reach}
    params |= {
        "seed_ids": [seed.segment_id for seed in seeds],
        "seed_sessions": [seed.session_id for seed in seeds],
        "seed_timestamps": [seed.position.timestamp for seed in seeds],
        "seed_events": [seed.position.event_uuid for seed in seeds],
        "seed_indexes": [seed.position.index for seed in seeds],
        "seed_offsets": [seed.position.offset for seed in seeds],
    }
    return statement, params


# Rows go in by uuid, so that concurrent batches take their locks in one order. An event that
# the tenant holds is missing from what comes back.
INSERT_EVENTS = """
    INSERT INTO episodic_event
           (tenant_id, uuid, session_id, timestamp, utc_offset, source_id, context, properties)
    SELECT %(tenant)s, *
      FROM unnest(%(uuids)s::uuid[], %(session_ids)s::text[], %(timestamps)s::timestamptz[],
                  %(utc_offsets)s::int[], %(source_ids)s::text[], %(contexts)s::text[]::json[],
                  %(properties)s::text[]::jsonb[])
    ON CONFLICT (tenant_id, uuid) DO NOTHING
    RETURNING uuid, id
"""

# COPY returns no keys: they are allocated beforehand.
ALLOCATE_IDS = """
    SELECT ARRAY(SELECT nextval(pg_get_serial_sequence('episodic_segment', 'id'))
                   FROM generate_series(1, %(segments)s)),
           ARRAY(SELECT nextval(pg_get_serial_sequence('episodic_derivative', 'id'))
                   FROM generate_series(1, %(derivatives)s))
"""

# The cascade takes segments, derivatives and links along; locks are taken in uuid order.
FORGET = """
    DELETE FROM episodic_event WHERE id IN (
        SELECT e.id
          FROM (SELECT unnest(%(uuids)s::uuid[]) AS uuid ORDER BY 1) AS wanted
         CROSS JOIN LATERAL (
            SELECT id FROM episodic_event
             WHERE tenant_id = %(tenant)s AND uuid = wanted.uuid OFFSET 0 FOR UPDATE
         ) AS e
    )
"""

# The pieces of events, in order.
PIECES = f"""
    SELECT {SEGMENT_COLUMNS} FROM (
        SELECT * FROM episodic_segment WHERE event_id = ANY(%(events)s::bigint[]) OFFSET 0
    ) AS n
     WHERE n.tenant_id = %(tenant)s ORDER BY n.event_id, n.index, n."offset"
"""


def page_of_events(
    *, tenant_id: int, selection: "Selection", after: tuple[Any, Any] | None, limit: int
) -> Statement:
    """Events in timeline order that come after a (timestamp, uuid). An event is of a block kind
    when it has a block of it."""
    column_tests, params = columns(replace(selection, block_kinds=None), "e")
    filter_test, filter_params = expression(selection, "e")
    tests = [column_tests, filter_test]
    if selection.block_kinds is not None:
        tests.append("""EXISTS (
            SELECT FROM episodic_segment AS s
             WHERE s.event_id = e.id AND s.tenant_id = e.tenant_id
               AND s.block_kind = ANY(%(block_kinds)s::text[]) OFFSET 0
        )""")
        params["block_kinds"] = list(selection.block_kinds)
    if after is not None:
        tests.append("(e.timestamp, e.uuid) > (%(after_timestamp)s, %(after_uuid)s)")
        params["after_timestamp"], params["after_uuid"] = after
    params |= filter_params | {"tenant": tenant_id, "limit": limit}
    statement = f"""
        SELECT e.* FROM episodic_event AS e
         WHERE e.tenant_id = %(tenant)s AND {" AND ".join(tests)}
         ORDER BY e.timestamp, e.uuid LIMIT %(limit)s
    """
    return statement, params


def page_of_sessions(*, tenant_id: int, after: tuple[Any, Any] | None, limit: int) -> Statement:
    """Sessions, the one that was latest at work first, that come after a (last, session id)."""
    params: dict[str, Any] = {"tenant": tenant_id, "limit": limit}
    test = "TRUE"
    if after is not None:
        params["last"], params["session"] = after
        test = (
            "max(timestamp) < %(last)s OR (max(timestamp) = %(last)s AND session_id > %(session)s)"
        )
    statement = f"""
        SELECT session_id, count(*), min(timestamp), max(timestamp)
          FROM episodic_event
         WHERE tenant_id = %(tenant)s
         GROUP BY session_id HAVING {test}
         ORDER BY max(timestamp) DESC, session_id LIMIT %(limit)s
    """
    return statement, params


class Copy:
    """A binary COPY into a table's columns. A vector goes in as the bytes of its binary form."""

    def __init__(self, table: str, types: dict[str, str]) -> None:
        names = ", ".join(f'"{name}"' for name in types)
        self.statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
        self.types = list(types.values())


COPY_SEGMENTS = Copy(
    "episodic_segment",
    {
        "id": "int8",
        "tenant_id": "int8",
        "uuid": "uuid",
        "event_id": "int8",
        "event_uuid": "uuid",
        "index": "int4",
        "offset": "int4",
        "session_id": "text",
        "timestamp": "timestamptz",
        "source_id": "text",
        "block_kind": "text",
        "block": "json",
        "properties": "jsonb",
    },
)
COPY_DERIVATIVES = Copy(
    "episodic_derivative",
    {
        "id": "int8",
        "tenant_id": "int8",
        "event_id": "int8",
        "event_uuid": "uuid",
        "generation": "int4",
        "session_id": "text",
        "timestamp": "timestamptz",
        "source_id": "text",
        "block_kind": "text",
        "embedding": "bytea",
    },
)
COPY_LINKS = Copy(
    "episodic_link",
    {
        "derivative_id": "int8",
        "tenant_id": "int8",
        "segment_id": "int8",
        "start": "int4",
        "stop": "int4",
    },
)
