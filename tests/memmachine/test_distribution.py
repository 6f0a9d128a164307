"""The tables can be distributed by tenant: read off the catalog, not off the models."""

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from episodic.memory import EventMemory
from memmachine.distribution import TENANT, constraints, tables_of
from tenants.models import Tenant
from tests.factories import message

CARRIED = tables_of("episodic")

# Every index beside primary keys: whether it is unique, its key columns, its definition.
INDEXES = """
    SELECT n.relname, i.indisunique, pg_get_indexdef(i.indexrelid),
           ARRAY(SELECT a.attname::text FROM pg_attribute AS a
                  WHERE a.attrelid = i.indrelid
                    AND a.attnum = ANY((i.indkey::int2[])[0:i.indnkeyatts - 1]))
      FROM pg_index AS i
      JOIN pg_class AS t ON t.oid = i.indrelid
      JOIN pg_class AS n ON n.oid = i.indexrelid
     WHERE t.relnamespace = current_schema()::regnamespace
       AND t.relname = ANY(%s) AND NOT i.indisprimary
"""


@pytest.fixture
def cursor(db):
    with connection.cursor() as cursor:
        yield cursor


def unique_rules_without_the_tenant(cursor):
    cursor.execute(INDEXES, [CARRIED])
    return [name for name, unique, _, keys in cursor.fetchall() if unique and TENANT not in keys]


def indexes_without_the_tenant(cursor):
    """Those with the tenant neither in their columns nor an expression nor their predicate."""
    cursor.execute(INDEXES, [CARRIED])
    return [
        name
        for name, _, definition, _ in cursor.fetchall()
        if not re.search(rf"\b{TENANT}\b", definition.partition(" USING ")[2])
    ]


def references_out_of_the_tenant(cursor):
    """Those to a table inside a tenant that do not hold the tenant on both sides, in its place."""
    inside = rf"FOREIGN KEY \({TENANT}, \w+\) REFERENCES \w+\({TENANT}, \w+\)"
    to_tenant = rf"FOREIGN KEY \({TENANT}\) REFERENCES tenants_tenant\(id\)"
    return [
        each.name
        for each in constraints(cursor, CARRIED)
        if each.kind == "f"
        and not re.match(inside if each.parent in CARRIED else to_tenant, each.definition)
    ]


def primary_keys_without_the_tenant(cursor):
    found = constraints(cursor, CARRIED)
    return [each.name for each in found if each.kind == "p" and TENANT not in each.columns]


def test_every_table_of_a_memory_has_the_tenant_in_every_row(cursor):
    cursor.execute(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND column_name = %s AND is_nullable = 'NO'",
        [TENANT],
    )
    assert {name for (name,) in cursor.fetchall()} >= set(CARRIED)
    assert len(CARRIED) >= 4


def test_every_unique_rule_carries_the_tenant(cursor):
    assert unique_rules_without_the_tenant(cursor) == []
    cursor.execute("CREATE UNIQUE INDEX bad ON episodic_event (uuid) WHERE tenant_id = 1")
    assert unique_rules_without_the_tenant(cursor) == ["bad"]


def test_every_index_carries_the_tenant(cursor):
    assert indexes_without_the_tenant(cursor) == []
    cursor.execute("CREATE INDEX good ON episodic_event (uuid) WHERE tenant_id = 1")
    cursor.execute("CREATE INDEX bad_for_tenant_id ON episodic_event (uuid)")
    assert indexes_without_the_tenant(cursor) == ["bad_for_tenant_id"]


def test_every_foreign_key_carries_the_tenant(cursor):
    assert references_out_of_the_tenant(cursor) == []
    cursor.execute(
        "ALTER TABLE episodic_link ADD CONSTRAINT bad FOREIGN KEY (segment_id)"
        " REFERENCES episodic_segment"
    )
    assert references_out_of_the_tenant(cursor) == ["bad"]


def test_nothing_is_run_and_nothing_printed_unasked(db):
    with pytest.raises(CommandError, match="--print"):
        call_command("distribute", stdout=StringIO())


def printed() -> list[str]:
    output = StringIO()
    call_command("distribute", "--print", stdout=output)
    begin, *ddl, commit = output.getvalue().splitlines()
    assert (begin, commit) == ("BEGIN;", "COMMIT;")
    return ddl


def test_every_table_is_given_a_place_after_those_that_it_references(db):
    calls = [line for line in printed() if line.startswith("SELECT ")]
    assert "SELECT create_reference_table('tenants_tenant');" in calls
    placed = [line.split("'")[1] for line in calls]
    assert sorted(placed) == sorted([*tables_of("tenants"), *CARRIED])
    assert placed.index("episodic_segment") < placed.index("episodic_link")


def test_what_postgresql_can_run_of_it_leaves_a_memory_that_works(cursor):
    before = {each.name for each in constraints(cursor, CARRIED)}
    references = [each for each in constraints(cursor, CARRIED) if each.kind == "f"]
    assert primary_keys_without_the_tenant(cursor)
    for line in printed():
        if not line.startswith("SELECT create_"):  # functions of Citus
            cursor.execute(line)
    assert primary_keys_without_the_tenant(cursor) == []
    assert unique_rules_without_the_tenant(cursor) == []
    assert [each for each in constraints(cursor, CARRIED) if each.kind == "f"] == references
    assert {each.name for each in constraints(cursor, CARRIED)} <= before
    assert not [line for line in printed() if "PRIMARY KEY" in line]

    memory = EventMemory(Tenant.objects.create(name="distributed"))
    (kept, gone) = memory.encode([message("a foghorn"), message("a foghorn more", minute=1)])
    assert len(memory.query("foghorn")) == 2
    memory.forget([gone])
    assert [held.event.uuid for held in memory.events().items] == [kept]
