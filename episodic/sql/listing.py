"""Reading back: pages of events and sessions."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from episodic.sql.conditions import SEGMENT_COLUMNS, Statement, by_uuid, columns, expression

if TYPE_CHECKING:
    from episodic.recall.selection import Selection

# The pieces of events, in order.
PIECES = f"""
    SELECT {SEGMENT_COLUMNS} FROM (
        SELECT * FROM episodic_segment WHERE event_id = ANY(%(events)s::bigint[]) OFFSET 0
    ) AS n
     WHERE n.tenant_id = %(tenant)s ORDER BY n.event_id, n.index, n."offset"
"""


# The row of that uuid.
EVENT = f"""
    SELECT * FROM ({by_uuid("episodic_event", "%(uuid)s::uuid")}) AS e WHERE uuid = %(uuid)s::uuid
"""
SEGMENT = f"""
    SELECT * FROM ({by_uuid("episodic_segment", "%(uuid)s::uuid")}) AS s WHERE uuid = %(uuid)s::uuid
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
