"""`manage.py purge_tenants`: reclaim what deleted tenants held."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from episodic.management.purging import PurgeCommand
from episodic.purge import EVERYTHING, bury, drop_indexes, matching
from tenants.models import Tenant


class Command(PurgeCommand):
    help = (
        "Remove the rows of deleted tenants, which nobody can see any more: the one that was"
        " deleted first first, its vector indexes before its events, in batches. The exit status"
        " is 0 when nothing is left and 3 when something is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", type=int, help="Only the deleted tenant of this id.")
        parser.add_argument("--before", help="Only those deleted before this date or time.")
        super().add_arguments(parser)

    def handle(
        self,
        *args: Any,
        tenant: int | None,
        before: str | datetime | None,
        dry_run: bool,
        batch_size: int,
        max_seconds: float | None,
        **options: Any,
    ) -> None:
        dead = Tenant.objects.dead()
        if tenant is not None:
            dead = dead.filter(pk=tenant)
        if (moment := self.instant(before)) is not None:
            dead = dead.filter(deleted_at__lt=moment)
        tenants = list(dead)
        events = matching(tenants, EVERYTHING)
        if dry_run:
            for each in tenants:
                self.say(f"Would remove tenant {each.pk} with {events.get(each, 0):,} events.")
            self.say(f"Would remove {len(tenants):,} tenants in all.")
            return
        drop_indexes(tenants)
        work = {each: events.get(each, 0) for each in tenants}
        gone, done = self.forget(work, EVERYTHING, batch_size=batch_size, max_seconds=max_seconds)
        left = matching(tenants, EVERYTHING)
        buried = [each for each in done if each not in left]
        for each in buried:
            bury(each)
        self.conclude(
            f"Removed {len(buried):,} of {len(tenants):,} tenants, and {gone:,} events.",
            left.values(),
        )
