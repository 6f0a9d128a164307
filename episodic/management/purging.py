"""What the purge commands share: their options, their clock and how they end."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from episodic.purge import Scope, forget_in_batches
from memmachine.database import own_session
from memmachine.interrupts import terminable
from memmachine.progress import progress
from tenants.models import Tenant

UNFINISHED = 3


class PurgeCommand(BaseCommand):
    """Forgets in batches until all is done, the time is up or it is interrupted.

    The exit status is 0 when nothing is left, 3 when something is: run it again. Options are
    checked by the command and not by its parser, which `call_command` goes past.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Count, and change nothing.")
        parser.add_argument(
            "--batch-size", type=int, default=1_000, help="Events a transaction (default 1,000)."
        )
        parser.add_argument(
            "--max-seconds", type=float, help="Stop after so long; run it again for the rest."
        )

    def instant(self, before: str | datetime | None) -> datetime | None:
        """An ISO date or date and time; UTC where it names no offset."""
        if isinstance(before, str):
            try:
                before = datetime.fromisoformat(before)
            except ValueError:
                raise CommandError(f"--before: {before!r} is no date or time (ISO 8601)") from None
        if before is None or before.tzinfo is not None:
            return before
        return before.replace(tzinfo=UTC)

    def forget(
        self, work: dict[Tenant, int], scope: Scope, *, batch_size: int, max_seconds: float | None
    ) -> tuple[int, list[Tenant]]:
        """Forget the scope's events of the tenants in turn: how many went, and the tenants of
        which all were tried."""
        if batch_size < 1:
            raise CommandError("--batch-size: at least 1 is wanted")
        if max_seconds is not None and not max_seconds > 0:
            raise CommandError("--max-seconds: more than 0 is wanted")
        deadline = time.monotonic() + (max_seconds or float("inf"))
        gone = 0
        done: list[Tenant] = []
        with own_session() as session, progress(self.stderr, sum(work.values()), "events") as bar:
            with session.cursor() as cursor:
                cursor.execute("SET enable_sort = off")  # oldest first is an index's order
            try:
                with terminable():
                    for tenant in work:
                        for forgotten in forget_in_batches(session, tenant, scope, size=batch_size):
                            gone += forgotten
                            bar.update(forgotten)
                            if time.monotonic() > deadline:
                                return gone, done
                        done.append(tenant)
            except KeyboardInterrupt:
                self.stderr.write("Interrupted.")
        return gone, done

    def conclude(self, summary: str, left: Iterable[int]) -> None:
        """Say what was done; an error where events are left."""
        self.stdout.write(summary)
        if remaining := sum(left):
            raise CommandError(
                f"{remaining:,} events are left: run it again.", returncode=UNFINISHED
            )

    def say(self, *args: Any) -> None:
        self.stdout.write(" ".join(map(str, args)))
