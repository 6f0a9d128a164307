"""What a tenant remembers: events, cut into segments, found by derivatives.

Every row carries its tenant, and every unique rule beside the primary key contains it, so that
the tables can be distributed by tenant. References inside a tenant are composite foreign keys
made in the migrations: the database itself refuses a row of one tenant that points into another,
and takes with an event all that came of it. Rows are immutable once written: a change is a
forget and an add.
"""

from datetime import datetime
from typing import Any

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import DO_NOTHING, F, Func, Q, Value
from django.db.models.functions import Cast, Now
from pgvector.django import HalfVectorField

from episodic.content.context import Context
from episodic.fields import JsonField
from episodic.position import Position, in_offset
from tenants.models import Tenant

# A tuple of a b-tree holds 2,704 bytes: above this many dimensions a vector is not in the index.
COVERED_DIMENSIONS = 1024

VECTOR_INDEX_PREFIX = "derivative_near_"

# A reference below an event: the migrations make its composite foreign key, and its index.
INSIDE: Any = {"related_name": "+", "db_index": False, "db_constraint": False}

# A segment's properties under its tenant's id, `{"17": {"project": "ferryline"}}`: a plain GIN
# index on properties would read the postings of all tenants.
PROPERTIES_OF_TENANT = Func(
    Value("{}"),
    Func(Cast("tenant_id", models.TextField()), template="ARRAY[%(expressions)s]"),
    F("properties"),
    function="jsonb_set",
    output_field=models.JSONField(),
)


class Event(models.Model):
    """One entry on a session's timeline. Its blocks are in its segments, exactly."""

    tenant = models.ForeignKey(Tenant, DO_NOTHING, related_name="+", db_index=False)
    uuid = models.UUIDField()
    session_id = models.TextField(db_collation="C")
    timestamp = models.DateTimeField()
    utc_offset = models.IntegerField(help_text="Of the timestamp as it was given, in seconds.")
    source_id = models.TextField(null=True, db_collation="C")
    context = JsonField()
    properties = models.JSONField()
    stored_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "uuid"], name="event_uuid_per_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="event_id_per_tenant"),
        ]
        indexes = [
            # The listing of a tenant's events, page by page.
            models.Index(fields=["tenant", "timestamp", "uuid"], name="event_timeline"),
            # The same of one session; the list of sessions.
            models.Index(
                fields=["tenant", "session_id", "timestamp", "uuid"], name="event_session"
            ),
        ]

    @property
    def moment(self) -> datetime:
        """The timestamp in the offset that it came with."""
        return in_offset(self.timestamp, self.utc_offset)


class Segment(models.Model):
    """A piece of one block: what a query hits, what a walk returns and what is rendered.

    A tenant's segments are totally ordered by (timestamp, event_uuid, index, offset). What a
    filter or a walk reads is copied from the event.
    """

    tenant = models.ForeignKey(Tenant, DO_NOTHING, **INSIDE)
    uuid = models.UUIDField()
    event = models.ForeignKey(Event, DO_NOTHING, **INSIDE)
    event_uuid = models.UUIDField()
    index = models.IntegerField(help_text="The block's place in the event, from 0.")
    offset = models.IntegerField(help_text="The piece's ordinal in the block, from 0.")
    session_id = models.TextField(db_collation="C")
    timestamp = models.DateTimeField()
    source_id = models.TextField(null=True, db_collation="C")
    block_kind = models.TextField(db_collation="C")
    block = JsonField()
    properties = models.JSONField()
    lexemes = SearchVectorField(null=True)

    # Of the event, read along with the segment by the statements of `sql.py`.
    context: Context
    utc_offset: int

    class Meta:
        constraints = [
            # The walk: neighbours of a segment are neighbours in this index.
            models.UniqueConstraint(
                fields=["tenant", "session_id", "timestamp", "event_uuid", "index", "offset"],
                name="segment_timeline",
            ),
            models.UniqueConstraint(fields=["tenant", "uuid"], name="segment_uuid_per_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="segment_id_per_tenant"),
        ]
        indexes = [
            # An event's blocks, and the cascade from it. The key comes first: led by the tenant,
            # a forget would scan all that the tenant has.
            models.Index(fields=["event", "tenant"], name="segment_event"),
            # Equal properties, within a tenant: its id is the path on which they stand.
            GinIndex(
                OpClass(PROPERTIES_OF_TENANT, "jsonb_path_ops"),
                name="segment_properties",
                fastupdate=False,
            ),
        ]

    @property
    def position(self) -> Position:
        return Position(self.timestamp, self.event_uuid, self.index, self.offset)

    @property
    def moment(self) -> datetime:
        """The timestamp in the offset that it came with."""
        return in_offset(self.timestamp, self.utc_offset)


class Derivative(models.Model):
    """A text derived from a segment, embedded. It carries what a search filters on."""

    tenant = models.ForeignKey(Tenant, DO_NOTHING, **INSIDE)
    event = models.ForeignKey(Event, DO_NOTHING, **INSIDE)
    event_uuid = models.UUIDField()
    generation = models.IntegerField(help_text="Tells vectors of one embedder from the next's.")
    session_id = models.TextField(db_collation="C")
    timestamp = models.DateTimeField()
    source_id = models.TextField(null=True, db_collation="C")
    block_kind = models.TextField(db_collation="C")
    embedding = HalfVectorField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="derivative_id_per_tenant"),
        ]
        indexes = [
            # The exact search reads a tenant's vectors, and what it filters on, from this index.
            models.Index(
                fields=["tenant", "generation", "timestamp"],
                include=["id", "event_uuid", "session_id", "source_id", "block_kind", "embedding"],
                condition=Q(embedding__dims__lte=COVERED_DIMENSIONS),
                name="derivative_exact",
            ),
            # The derivatives of a session, when they are few among many.
            models.Index(
                fields=["tenant", "generation", "session_id", "timestamp"],
                name="derivative_session",
            ),
            # The same as the first for vectors that no index can hold.
            models.Index(
                fields=["tenant", "generation", "timestamp"],
                condition=Q(embedding__dims__gt=COVERED_DIMENSIONS),
                name="derivative_exact_wide",
            ),
            # The cascade from the event.
            models.Index(fields=["event", "tenant"], name="derivative_event"),
        ]


class Link(models.Model):
    """Ties a derivative to the segment that a hit on it returns.

    `start` and `stop` say where in the segment's text the derivative's words stand, counted in
    code points.
    """

    derivative = models.OneToOneField(
        Derivative, DO_NOTHING, primary_key=True, related_name="+", db_constraint=False
    )
    tenant = models.ForeignKey(Tenant, DO_NOTHING, **INSIDE)
    segment = models.ForeignKey(Segment, DO_NOTHING, **INSIDE)
    start = models.IntegerField()
    stop = models.IntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(start__lt=F("stop")), name="link_is_a_span"),
        ]
        indexes = [
            # The cascade from the segment.
            models.Index(fields=["segment", "tenant"], name="link_segment"),
        ]


class VectorIndex(models.Model):
    """The sealed HNSW index of a large tenant's vectors, as `index_tenants` built it.

    It holds the derivatives of one generation up to the id `sealed`; a search scans newer ones
    exactly. Searches use it once it is `ready_at`: until then it is being built, beside an
    older one perhaps. `breadth` is how many candidates a search must consider in it to find
    what an exact one would, measured when it was built.
    """

    tenant = models.ForeignKey(Tenant, DO_NOTHING, related_name="+", db_index=False)
    generation = models.IntegerField()
    sealed = models.BigIntegerField(help_text="The greatest id of a derivative in it.")
    dimensions = models.IntegerField()
    rows = models.BigIntegerField(help_text="How many derivatives were sealed in.")
    breadth = models.IntegerField(null=True)
    started_at = models.DateTimeField(db_default=Now())
    ready_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "vector indexes"
        indexes = [
            # The latest of a tenant and its generation.
            models.Index(fields=["tenant", "generation"], name="vector_index_of_tenant"),
        ]

    @property
    def name(self) -> str:
        """Its name in PostgreSQL's catalog, by which it is known there."""
        return f"{VECTOR_INDEX_PREFIX}{self.tenant_id}_{self.pk}"
