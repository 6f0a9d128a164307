"""Indexes on large tables, for migrations: built while others read and write.

A migration that uses it says `atomic = False`, and holds nothing else.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently

VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


class AddIndexBeside(AddIndexConcurrently):
    """`CREATE INDEX CONCURRENTLY` that can be interrupted, and run again.

    PostgreSQL leaves the invalid index of an interrupted run behind: it is dropped first. A
    valid one was built by a run that ended before it could say so: it is kept.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        with schema_editor.connection.cursor() as cursor:
            name = schema_editor.quote_name(self.index.name)
            cursor.execute(VALID, [name])
            match cursor.fetchone():
                case (True,):
                    return
                case (False,):
                    cursor.execute(f"DROP INDEX CONCURRENTLY {name}")
        super().database_forwards(app_label, schema_editor, *states)
