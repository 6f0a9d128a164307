from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from episodic import demo
from episodic.memory import EventMemory
from episodic.models import Segment
from memmachine.database import prepare_database
from tenants.services import create_tenant


class Command(BaseCommand):
    help = "Fill the tenant `demo` with sample sessions, ask it two questions, walk on from a hit."
    requires_system_checks = []  # prepare_database runs them

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--limit", type=int, default=1, help="How many hits a question shows.")

    def handle(self, *args: Any, limit: int, **options: Any) -> None:
        prepare_database()
        tenant, _ = create_tenant(demo.TENANT)
        memory = EventMemory(tenant)
        uuids, stored = demo.fill(memory)
        found = "Stored" if stored else "Found"
        self.say(f"{found} {len(uuids)} events in the tenant {tenant.name!r}.")
        for question in demo.QUESTIONS:
            self.say(f"\nWhat an agent reads when it asks: {question}\n")
            hits = memory.query(question, limit=limit)
            for hit in hits:
                self.stdout.write(f"{hit.text}\n")
        seed = hits[0].segments[hits[0].seed]
        self.walk_back(memory, seed)

    def walk_back(self, memory: EventMemory, seed: Segment) -> None:
        self.say(
            f"\nThe cause stands in what a tool answered, which no query finds: it is around the"
            f" message.\nWhat an agent reads when it expands 2 back from {seed.uuid.hex}:\n"
        )
        self.stdout.write(memory.expand(seed.uuid, before=2, after=0).before_text)

    def say(self, text: str) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(text))
