"""Columns that Django has no field for."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Transform
from pgvector.django import HalfVectorField


class JsonField(models.JSONField):
    """A `json` column: a value comes back with its keys in the order given and 1.0 still 1.0."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        return value  # psycopg has parsed it; Django takes that over for jsonb alone


@HalfVectorField.register_lookup
class Dimensions(Transform):
    """`embedding__dims`: of how many numbers a vector is."""

    lookup_name = "dims"
    function = "vector_dims"
    output_field = models.IntegerField()
