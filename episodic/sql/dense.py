"""The nearest segments to a cue, and the ways that lead to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from episodic.filters.implications import Pair
from episodic.models import COVERED_DIMENSIONS
from episodic.sql.conditions import Statement, columns, expression, holds_one_of, segment_of
from tenants.sql import IN_ORDER

if TYPE_CHECKING:
    from episodic.recall.selection import Selection

# The first statement of a search: does the tenant live, and which index has it? It also settles
# how far that is searched.
OPEN = f"""
    SELECT i.sealed, {IN_ORDER},
           set_config('hnsw.iterative_scan', 'relaxed_order', TRUE),
           set_config('hnsw.scan_mem_multiplier', '8', TRUE),
           set_config('hnsw.max_scan_tuples', %(reach)s::text, TRUE),
           set_config('hnsw.ef_search',
                      least(1000, greatest(i.breadth, %(wanted)s))::text, TRUE)
      FROM tenants_tenant AS t
      LEFT JOIN LATERAL (
        SELECT sealed, breadth FROM episodic_vectorindex
         WHERE tenant_id = t.id AND generation = %(generation)s AND ready_at IS NOT NULL
         ORDER BY id DESC LIMIT 1
      ) AS i ON TRUE
     WHERE t.id = %(tenant)s AND t.deleted_at IS NULL
"""

OWN = "d.tenant_id = %(tenant)s AND d.generation = %(generation)s"
FOUND = "d.id, d.timestamp, d.event_uuid"


@dataclass(frozen=True, kw_only=True)
class Search:
    """What is searched for: the `limit` segments whose best derivative is nearest to the cue,
    and no farther than `farthest`."""

    tenant_id: int
    generation: int
    cue: str
    dimensions: int
    limit: int
    farthest: float
    selection: "Selection"


@dataclass(frozen=True, kw_only=True)
class Way:
    """Where a search takes its rows from: a query for `rows` (id, timestamp, event_uuid,
    distance), which may read its `tables`; an expression that says whether they are `complete`,
    and one whether they are `all` that match, rather than the nearest of those."""

    rows: str
    tables: dict[str, str] = field(default_factory=dict)
    complete: str = "TRUE"
    all: str = "TRUE"
    params: dict[str, Any] = field(default_factory=dict)


def every(search: Search) -> Way:
    """All that the tenant has, exactly, out of the covering index."""
    tests, params = columns(search.selection, "d")
    scan = _covering(search, f"{FOUND}, d.embedding", tests)
    return Way(rows=f"SELECT {FOUND}, {_distance('d')} FROM ({scan}) AS d", params=params)


def within(search: Search, *, bound: int) -> Way:
    """What the selected sessions, or else the selected time, hold, exactly: complete if that
    are at most `bound` derivatives."""
    by_session = search.selection.session_ids is not None
    scan = _of_sessions if by_session else _covering
    tests, params = columns(search.selection, "d")
    times, _ = columns(search.selection, "d", only=["since", "until"])
    counted = scan(search, "d.timestamp", times)
    few = f"SELECT count(*) <= {bound} FROM (SELECT FROM ({counted}) AS c LIMIT {bound + 1}) AS c"
    rows = scan(search, f"{FOUND}, d.embedding", tests)
    return Way(
        tables={"few (yes)": few},
        rows=f"SELECT {FOUND}, {_distance('d')} FROM ({rows}) AS d WHERE (SELECT yes FROM few)",
        complete="(SELECT yes FROM few)",
        params=params,
    )


def holding(search: Search, properties: Sequence[Sequence[Pair]], *, bound: int) -> Way:
    """What segments with one of each of the properties hold, exactly: complete if those are at
    most `bound` segments."""
    tests, params = columns(search.selection, "d")
    holds, property_params = holds_one_of(search.tenant_id, properties, "s")
    few = f"(SELECT count(*) FROM holding) <= {bound}"
    rows = f"""
        SELECT {FOUND}, {_distance("d")} FROM holding
         CROSS JOIN LATERAL (
            SELECT derivative_id FROM episodic_link WHERE segment_id = holding.id OFFSET 0
         ) AS l CROSS JOIN LATERAL (
            SELECT * FROM episodic_derivative WHERE id = l.derivative_id OFFSET 0
         ) AS d
         WHERE {few} AND {OWN} AND {tests}
    """
    return Way(
        tables={
            "holding": f"SELECT s.id FROM episodic_segment AS s WHERE {holds} LIMIT {bound + 1}"
        },
        rows=rows,
        complete=few,
        params=params | property_params,
    )


def indexed(search: Search, *, sealed: int, wanted: int, reach: int) -> Way:
    """The nearest in the vector index, and all that came after it was sealed.

    The index is searched outwards until `wanted` rows were selected, at most `reach`. Complete
    if it gave them, or if it came to what is too far.
    """
    tests, params = columns(search.selection, "v")
    new_tests, _ = columns(search.selection, "d")
    filter_test, filter_params = expression(search.selection, "s")
    vector = f"halfvec({search.dimensions})"
    distance = f"d.embedding::{vector} <=> %(cue)s::{vector}"
    probe = "" if search.selection.filter is None else _probe("v", "s")
    owned = "TRUE" if search.selection.filter is None else "s.tenant_id = %(tenant)s"
    # The planner must see that the rows are those of the index: literals say so.
    old = f"""
        SELECT v.id, v.timestamp, v.event_uuid, v.distance FROM (
            SELECT {FOUND}, d.session_id, d.source_id, d.block_kind, {distance} AS distance
              FROM episodic_derivative AS d
             WHERE d.tenant_id = {search.tenant_id} AND d.generation = {search.generation}
               AND d.id <= {sealed}
             ORDER BY {distance} LIMIT {reach}
        ) AS v {probe}
         WHERE {tests} AND {owned} AND {filter_test} LIMIT {wanted}
    """
    too_far = "(SELECT coalesce(max(distance) > %(farthest)s, FALSE) FROM sealed)"
    new = newer_than(search.tenant_id, sealed, "d.*")
    return Way(
        tables={"sealed": old},
        rows=f"""
            SELECT * FROM sealed UNION ALL
            SELECT {FOUND}, {_distance("d")} FROM ({new}) AS d WHERE {OWN} AND {new_tests}
        """,
        complete=f"((SELECT count(*) FROM sealed) = {wanted} OR {too_far})",
        all=too_far,
        params=params | filter_params,
    )


def nearest(search: Search, way: Way, *, rows: int) -> Statement:
    """Whether the way was complete, whether the nearest `rows` were enough for `limit` segments,
    and beside both the segments found, best first; nulls where none was.

    With an expression, all rows are sorted once and segments probed in that order until enough
    were kept, so that no estimate of what the expression keeps is needed. Equally near
    derivatives stand in timeline order: within an event, that of their ids.
    """
    filter_test, filter_params = expression(search.selection, "s")
    if search.selection.filter is None:
        near_limit, probe, kept_limit = "LIMIT %(rows)s", _link("near", "l"), ""
        filter_test = "l.tenant_id = %(tenant)s"
    else:
        near_limit, probe, kept_limit = "", _probe("near", "s"), "LIMIT %(rows)s"
        filter_test = f"s.tenant_id = %(tenant)s AND {filter_test}"
    tables = "".join(f"{name} AS MATERIALIZED ({query}), " for name, query in way.tables.items())
    statement = f"""
        WITH {tables} near AS MATERIALIZED (
            SELECT id, timestamp, event_uuid, distance FROM ({way.rows}) AS d
             ORDER BY distance, timestamp, event_uuid, id {near_limit}
        ), kept AS (
            SELECT near.*, l.segment_id
              FROM near {probe}
             WHERE near.distance <= %(farthest)s AND {filter_test}
             ORDER BY near.distance, near.timestamp, near.event_uuid, near.id {kept_limit}
        ), best AS (
            SELECT segment_id, min(distance) AS distance
              FROM kept
             GROUP BY segment_id, timestamp, event_uuid
             ORDER BY min(distance), timestamp, event_uuid, min(id) LIMIT %(limit)s
        )
        SELECT {way.complete},
               (SELECT count(*) FROM best) = %(limit)s
               OR ({way.all} AND (SELECT count(*) FROM kept) < %(rows)s),
               s.id, s.session_id, s.timestamp, s.event_uuid, s.index, s."offset",
               best.distance
          FROM (VALUES (1)) AS answer
          LEFT JOIN (
            best CROSS JOIN LATERAL ({segment_of("best")}) AS s
          ) ON s.tenant_id = %(tenant)s
         ORDER BY best.distance, s.timestamp, s.event_uuid, s.index, s."offset"
    """
    params = way.params | filter_params
    params |= {"tenant": search.tenant_id, "generation": search.generation, "cue": search.cue}
    params |= {"farthest": search.farthest, "limit": search.limit, "rows": rows}
    return statement, params


def newer_than(tenant_id: int, sealed: int, what: str) -> str:
    """A tenant's derivatives that no index has, out of the index on (tenant, id): the only one
    that gives this order."""
    return f"""
        SELECT {what} FROM episodic_derivative AS d
         WHERE (d.tenant_id, d.id) > ({tenant_id}, {sealed}) AND d.tenant_id < {tenant_id + 1}
         ORDER BY d.tenant_id, d.id
    """


def _covering(search: Search, what: str, tests: str) -> str:
    covered = "<=" if search.dimensions <= COVERED_DIMENSIONS else ">"
    return f"""
        SELECT {what} FROM episodic_derivative AS d
         WHERE {OWN} AND vector_dims(d.embedding) {covered} {COVERED_DIMENSIONS} AND {tests}
         ORDER BY d.timestamp
    """


def _of_sessions(search: Search, what: str, tests: str) -> str:
    # Nothing is said of dimensions: the covering index, which one would have to read from end to
    # end, cannot be taken then.
    return f"""
        SELECT d.* FROM (SELECT DISTINCT unnest(%(session_ids)s::text[])) AS named (session_id)
         CROSS JOIN LATERAL (
            SELECT {what} FROM episodic_derivative AS d
             WHERE {OWN} AND d.session_id = named.session_id AND {tests}
             ORDER BY d.timestamp
         ) AS d
    """


def _distance(alias: str) -> str:
    # A zero vector is similar to nothing.
    return f"coalesce(nullif({alias}.embedding <=> %(cue)s::halfvec, 'NaN'), 1) AS distance"


def _link(derivative: str, link: str) -> str:
    return f"""
        CROSS JOIN LATERAL (
            SELECT tenant_id, segment_id FROM episodic_link
             WHERE derivative_id = {derivative}.id OFFSET 0
        ) AS {link}
    """


def _probe(derivative: str, segment: str) -> str:
    """The link of a derivative as `l`, and its segment."""
    return f"{_link(derivative, 'l')} CROSS JOIN LATERAL ({segment_of('l')}) AS {segment}"
