"""What a selection says, as conditions on rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from episodic.content.properties import to_jsonb
from episodic.filters.compilation import Compilation
from episodic.filters.implications import Pair
from episodic.position import utc

if TYPE_CHECKING:
    from episodic.recall.selection import Selection

Statement = tuple[str, dict[str, Any]]

SEGMENT_COLUMNS = (
    'n.id, n.tenant_id, n.uuid, n.event_id, n.event_uuid, n.index, n."offset", n.session_id,'
    " n.timestamp, n.source_id, n.block_kind, n.block, n.properties"
)


COLUMNS = ["session_ids", "source_ids", "block_kinds", "since", "until"]


def columns(
    selection: "Selection", alias: str, *, only: Sequence[str] = COLUMNS
) -> tuple[str, dict[str, Any]]:
    """The conditions of a selection on columns that segments and derivatives share."""
    # One session is asked for by equality, in which an index keeps the order of what follows it.
    one = selection.session_ids is not None and len(selection.session_ids) == 1
    tests = {
        "session_ids": f"{alias}.session_id = (%(session_ids)s::text[])[1]"
        if one
        else f"{alias}.session_id = ANY(%(session_ids)s::text[])",
        "source_ids": f"{alias}.source_id = ANY(%(source_ids)s::text[])",
        "block_kinds": f"{alias}.block_kind = ANY(%(block_kinds)s::text[])",
        "since": f"{alias}.timestamp >= %(since)s",
        "until": f"{alias}.timestamp < %(until)s",
    }
    params = {
        name: utc(value) if isinstance(value, datetime) else list(value)
        for name in only
        if (value := getattr(selection, name)) is not None
    }
    return " AND ".join(["TRUE", *(tests[name] for name in params)]), params


def expression(selection: "Selection", alias: str) -> tuple[str, dict[str, Any]]:
    """The condition of a selection's filter expression."""
    if selection.filter is None:
        return "TRUE", {}
    compilation = Compilation(alias)
    return compilation.condition(selection.filter), compilation.params


def holds_one_of(
    tenant_id: int, groups: Sequence[Sequence[Pair]], alias: str
) -> tuple[str, dict[str, Any]]:
    """The condition, in the words of the index, that a tenant's segment has one of each group
    of properties."""
    held = f"jsonb_set('{{}}', ARRAY[{alias}.tenant_id::text], {alias}.properties)"
    params: dict[str, Any] = {}
    tests = []
    for group in groups:
        names = [f"holds_{len(params) + place}" for place in range(len(group))]
        params |= {
            name: f'{{"{tenant_id}":{to_jsonb({key: value})}}}'
            for name, (key, value) in zip(names, group, strict=True)
        }
        tests.append(" OR ".join(f"{held} @> %({name})s::jsonb" for name in names))
    return " AND ".join(f"({test})" for test in tests), params


def by_uuid(table: str, uuid: str) -> str:
    """The row of a tenant with that uuid, or one with a greater: the first in the order of the
    unique index, which an equality would leave to the planner."""
    return f"""
        SELECT * FROM {table} WHERE tenant_id = %(tenant)s AND uuid >= {uuid}
         ORDER BY uuid LIMIT 1
    """


def segment_of(alias: str) -> str:
    """The segment that a row names, looked up by its key alone."""
    return f"SELECT * FROM episodic_segment WHERE id = {alias}.segment_id OFFSET 0"
