"""The walk along a timeline: every seed, both sides, one statement."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from episodic.sql.conditions import SEGMENT_COLUMNS, Statement, columns, expression

if TYPE_CHECKING:
    from episodic.recall.selection import Selection
    from episodic.recall.timeline import Seed

POSITION = 'timestamp, event_uuid, index, "offset"'
BACKWARDS = 'timestamp DESC, event_uuid DESC, index DESC, "offset" DESC'


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
