"""`manage.py distribute --print`: the DDL that distributes the tables by tenant on Citus."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memmachine.distribution import statements


class Command(BaseCommand):
    help = "Print what distributes the migrated tables by tenant on Citus; see docs/scale.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--print", action="store_true", dest="printed", help="Run nothing.")

    def handle(self, *args: Any, printed: bool, **options: Any) -> None:
        if not printed:
            raise CommandError(
                "Nothing is run by this command, which was never tried on a cluster:"
                " say --print, read docs/scale.md, and run what is printed yourself."
            )
        with connection.cursor() as cursor:
            ddl = statements(cursor)
        self.stdout.write("".join(f"{line};\n" for line in ["BEGIN", *ddl, "COMMIT"]), ending="")
