"""The DDL that distributes the tables of a memory by tenant on Citus (docs/scale.md).

It is read off the database that is there, so that it names what the migrations made.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.apps import apps
from django.db.backends.utils import CursorWrapper

TENANT = "tenant_id"

# Constraints with their columns, in the order in which the constraint names them.
CONSTRAINTS = """
    SELECT t.relname, c.conname, c.contype::text, coalesce(r.relname, ''),
           pg_get_constraintdef(c.oid),
           ARRAY(SELECT a.attname::text
                   FROM unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
                   JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
                  ORDER BY k.place)
      FROM pg_constraint AS c
      JOIN pg_class AS t ON t.oid = c.conrelid
      LEFT JOIN pg_class AS r ON r.oid = c.confrelid
     WHERE t.relnamespace = current_schema()::regnamespace
       AND t.relname = ANY(%s) AND c.contype IN ('p', 'u', 'f')
     ORDER BY t.relname, c.conname
"""


@dataclass(frozen=True)
class Constraint:
    """A primary key (`p`), unique rule (`u`) or foreign key (`f`) as the database has it."""

    table: str
    name: str
    kind: str
    parent: str  # empty for what is no foreign key
    definition: str
    columns: list[str]


def tables_of(app: str) -> list[str]:
    return [model._meta.db_table for model in apps.get_app_config(app).get_models()]


def constraints(cursor: CursorWrapper, tables: Sequence[str]) -> list[Constraint]:
    cursor.execute(CONSTRAINTS, [list(tables)])
    return [Constraint(*row) for row in cursor.fetchall()]


def statements(cursor: CursorWrapper) -> list[str]:
    """What is to be run, in order, on the coordinator, in one transaction.

    Whose memory it is stands whole on every node; what is remembered is distributed.
    """
    everywhere, carried = tables_of("tenants"), tables_of("episodic")
    found = constraints(cursor, [*everywhere, *carried])
    references = [each for each in found if each.kind == "f"]
    everywhere, carried = (parents_first(names, references) for names in (everywhere, carried))
    first, *others = carried
    return [
        # Between reference tables and distributed ones, Citus asks for this.
        "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
        *(f"ALTER TABLE {each.table} DROP CONSTRAINT {each.name}" for each in references),
        *(change for table in carried for change in keyed_by_tenant(table, found)),
        *(f"SELECT create_reference_table('{table}')" for table in everywhere),
        f"SELECT create_distributed_table('{first}', '{TENANT}', colocate_with => 'none')",
        *(
            f"SELECT create_distributed_table('{table}', '{TENANT}', colocate_with => '{first}')"
            for table in others
        ),
        *(
            f"ALTER TABLE {each.table} ADD CONSTRAINT {each.name} {each.definition}"
            for table in [*everywhere, *carried]
            for each in references
            if each.table == table
        ),
    ]


def keyed_by_tenant(table: str, found: Iterable[Constraint]) -> list[str]:
    """A primary key that begins with the tenant, in place of one that lacks it.

    Where a unique rule says the same it becomes the primary key, under its own name: a second
    index would say nothing new.
    """
    keys = [each for each in found if each.table == table and each.kind in "pu"]
    (primary,) = (each for each in keys if each.kind == "p")
    if TENANT in primary.columns:
        return []
    wanted = [TENANT, *primary.columns]
    same = [each for each in keys if each.kind == "u" and each.columns == wanted]
    dropped = ", ".join(f"DROP CONSTRAINT {each.name}" for each in [primary, *same])
    name = same[0].name if same else primary.name
    return [
        f"ALTER TABLE {table} {dropped}, ADD CONSTRAINT {name} PRIMARY KEY ({', '.join(wanted)})"
    ]


def parents_first(names: Sequence[str], references: Sequence[Constraint]) -> list[str]:
    """The tables, each after those that it references."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        for each in references:
            if each.table == name and each.parent in names and each.parent != name:
                visit(each.parent)
        if name not in ordered:
            ordered.append(name)

    for name in names:
        visit(name)
    return ordered
