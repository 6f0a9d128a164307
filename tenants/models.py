"""Tenants: each is one isolated memory."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from tenants.querysets import TenantQuerySet


def default_embedder() -> str:
    """The embedder of new tenants."""
    name: str = settings.MEMMACHINE_EMBEDDER
    return name


def default_ranker() -> str:
    """The ranker of new tenants."""
    name: str = settings.MEMMACHINE_RANKER
    return name


class Tenant(models.Model):
    """One life of a name, whose id is the key of all that it holds.

    Deleting clears the name and sets `deleted_at`, so that the name can be created again and
    starts empty while the rows of its former life wait for the purge. Writers hold the row
    `FOR SHARE`; whoever changes it waits for them.
    """

    name = models.TextField(null=True, unique=True, db_collation="C")
    created_at = models.DateTimeField(db_default=Now())
    deleted_at = models.DateTimeField(null=True, default=None)
    episodic_enabled = models.BooleanField(default=True, db_default=True)
    embedder = models.TextField(default=default_embedder)
    generation = models.IntegerField(default=1, db_default=1)
    ranker = models.TextField(default=default_ranker)
    query_limit = models.PositiveIntegerField(default=10, db_default=10)
    expand_context = models.PositiveIntegerField(default=2, db_default=2)
    expand_before = models.PositiveIntegerField(default=5, db_default=5)
    expand_after = models.PositiveIntegerField(default=5, db_default=5)
    eviction_threshold = models.FloatField(
        null=True,
        blank=True,
        help_text="From which cosine similarity on two derivatives say the same. Empty: none is"
        " evicted.",
    )
    eviction_search_limit = models.PositiveIntegerField(
        default=20,
        db_default=20,
        help_text="How many near-duplicates of a new derivative are looked at.",
    )
    eviction_target = models.PositiveIntegerField(
        default=5,
        db_default=5,
        help_text="How many of a cluster stay: the earliest half, and the latest others.",
    )

    objects = TenantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(name=None, deleted_at__isnull=False)
                | Q(name__isnull=False, deleted_at=None),
                name="tenant_is_named_while_it_lives",
            ),
            models.CheckConstraint(condition=Q(query_limit__gte=1), name="tenant_query_limit"),
            models.CheckConstraint(
                condition=Q(eviction_threshold=None)
                | Q(eviction_threshold__gt=0, eviction_threshold__lte=1),
                name="tenant_eviction_threshold",
            ),
            # A search that finds no more than may stay would never evict.
            models.CheckConstraint(
                condition=Q(
                    eviction_target__gte=1, eviction_search_limit__gte=F("eviction_target")
                ),
                name="tenant_eviction_target",
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"deleted tenant {self.pk}"
