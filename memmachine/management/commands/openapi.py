from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memmachine.api.views import openapi_document


class Command(BaseCommand):
    help = "Write openapi.json from the code, or check that it is current."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="Compare; write nothing.")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        path: Path = settings.BASE_DIR / "openapi.json"
        document = openapi_document()
        if not check:
            path.write_bytes(document)
            self.stdout.write(f"Wrote {path.name}.")
        elif not path.exists() or path.read_bytes() != document:
            raise CommandError("openapi.json is not what the code generates; run `make openapi`.")
