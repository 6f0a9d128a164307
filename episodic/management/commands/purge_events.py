"""`manage.py purge_events`: forget by age, session or source."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from episodic.management.purging import PurgeCommand
from episodic.purge import Scope, matching
from memmachine.errors import TenantNotFound
from tenants.models import Tenant


class Command(PurgeCommand):
    help = (
        "Forget the events of a tenant, or of all, that are older than a time, of a session or of"
        " a source: all the conditions given hold. Oldest first, in batches, beside readers and"
        " writers; the exit status is 0 when nothing is left and 3 when something is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="The tenant's name; with --before alone, all.")
        parser.add_argument(
            "--before", help="Events of before this date or time (ISO; UTC if bare)."
        )
        parser.add_argument("--session", help="Events of this session.")
        parser.add_argument("--source", help="Events of this source.")
        super().add_arguments(parser)

    def handle(
        self,
        *args: Any,
        tenant: str | None,
        before: str | datetime | None,
        session: str | None,
        source: str | None,
        dry_run: bool,
        batch_size: int,
        max_seconds: float | None,
        **options: Any,
    ) -> None:
        scope = Scope(before=self.instant(before), session_id=session, source_id=source)
        if scope == Scope():
            raise CommandError("Say what to forget: --before, --session, --source.")
        if tenant is None and (session is not None or source is not None):
            raise CommandError("A session or a source is of one tenant: name it with --tenant.")
        tenants = self.named(tenant)
        work = matching(tenants, scope)
        if dry_run:
            for each, events in work.items():
                self.say(f"Would forget {events:,} events of tenant {each.name!r}.")
            self.say(f"Would forget {sum(work.values()):,} events in all.")
            return
        gone, _ = self.forget(work, scope, batch_size=batch_size, max_seconds=max_seconds)
        self.conclude(
            f"Forgot {gone:,} of {sum(work.values()):,} events of {len(work):,} tenants.",
            matching(list(work), scope).values(),
        )

    def named(self, name: str | None) -> list[Tenant]:
        if name is None:
            return list(Tenant.objects.live().order_by("pk"))
        try:
            return [Tenant.objects.named(name)]
        except TenantNotFound as error:
            raise CommandError(str(error)) from None
