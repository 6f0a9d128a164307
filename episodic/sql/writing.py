"""What an ingest writes and a forget removes."""

from episodic.sql.conditions import by_uuid

# COPY returns no keys: they are allocated beforehand.
ALLOCATE_IDS = """
    SELECT ARRAY(SELECT nextval(pg_get_serial_sequence('episodic_event', 'id'))
                   FROM generate_series(1, %(events)s)),
           ARRAY(SELECT nextval(pg_get_serial_sequence('episodic_segment', 'id'))
                   FROM generate_series(1, %(segments)s)),
           ARRAY(SELECT nextval(pg_get_serial_sequence('episodic_derivative', 'id'))
                   FROM generate_series(1, %(derivatives)s))
"""

# Which of the uuids the tenant holds.
HELD = f"""
    SELECT e.uuid FROM unnest(%(uuids)s::uuid[]) AS wanted (uuid)
     CROSS JOIN LATERAL ({by_uuid("episodic_event", "wanted.uuid")}) AS e
     WHERE e.uuid = wanted.uuid
"""

# The cascade takes segments, derivatives and links along; locks are taken in uuid order.
FORGET = f"""
    WITH wanted AS MATERIALIZED (
        SELECT unnest(%(uuids)s::uuid[]) AS uuid ORDER BY 1
    ), held AS MATERIALIZED (
        SELECT locked.id FROM wanted
         CROSS JOIN LATERAL ({by_uuid("episodic_event", "wanted.uuid")}) AS e
         CROSS JOIN LATERAL (
            SELECT id FROM episodic_event WHERE id = e.id OFFSET 0 FOR UPDATE
         ) AS locked
         WHERE e.uuid = wanted.uuid
    )
    DELETE FROM episodic_event WHERE id = ANY(ARRAY(SELECT id FROM held))
"""


class Copy:
    """A binary COPY into a table's columns. A vector goes in as the bytes of its binary form."""

    def __init__(self, table: str, types: dict[str, str]) -> None:
        names = ", ".join(f'"{name}"' for name in types)
        self.statement = f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)"
        self.types = list(types.values())


COPY_EVENTS = Copy(
    "episodic_event",
    {
        "id": "int8",
        "tenant_id": "int8",
        "uuid": "uuid",
        "session_id": "text",
        "timestamp": "timestamptz",
        "utc_offset": "int4",
        "source_id": "text",
        "context": "json",
        "properties": "jsonb",
    },
)
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
