"""`manage.py index_tenants`: vector indexes for large tenants, made, sealed anew and dropped."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from django.db.backends.base.base import BaseDatabaseWrapper

from episodic.indexing.steps import Step, builder, steps
from episodic.sql import indexing as sql
from memmachine.database import own_session
from memmachine.interrupts import terminable
from memmachine.progress import progress

POLL_SECONDS = 0.5


class Command(BaseCommand):
    help = (
        "Build the vector indexes of tenants that have become large, seal those anew that much"
        " was added to or forgotten from, and drop those that nobody needs. Others read and"
        " write meanwhile. It can be interrupted, and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Say what would be done.")

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        start = time.monotonic()
        with terminable(), builder() as session:
            if session is None:
                self.stdout.write("Another run is at work on the indexes.")
                return
            found = failed = 0
            for step in steps(session):
                found += 1
                self.stdout.write(f"{'Would ' if dry_run else ''}{step.words}")
                if not dry_run:
                    failed += not self.do(step, session)
        if failed:
            raise CommandError(f"{failed} of {found} steps failed; run it again.")
        if not found:
            self.stdout.write("Every index is as it should be.")
        elif not dry_run:
            self.stdout.write(f"Done: {found} steps in {time.monotonic() - start:.1f} s.")

    def do(self, step: Step, session: BaseDatabaseWrapper) -> bool:
        """Whether the step could be done; the others are tried all the same."""
        try:
            with self.watched(step, session):
                step.run(session)
        except (DatabaseError, InterfaceError) as error:
            self.stderr.write(f"That failed: {' '.join(str(error).split())}")
            return False
        return True

    @contextmanager
    def watched(self, step: Step, session: BaseDatabaseWrapper) -> Iterator[None]:
        """A bar that follows what PostgreSQL says of a build."""
        if not step.vectors:
            yield
            return
        done = threading.Event()
        pid = session.connection.info.backend_pid
        with progress(self.stderr, step.vectors, "vectors") as bar:

            def follow() -> None:
                with own_session() as other, other.cursor() as cursor:
                    while not done.wait(POLL_SECONDS):
                        cursor.execute(sql.PROGRESS, {"pid": pid})
                        if row := cursor.fetchone():
                            bar.update(max(min(row[0], step.vectors) - bar.n, 0))

            follower = threading.Thread(target=follow, daemon=True)
            follower.start()
            try:
                yield
                bar.update(step.vectors - bar.n)
            finally:
                done.set()
                follower.join()
