"""What `serve` does beside serving: vector indexes kept, deleted tenants reclaimed."""

import logging
import threading
from typing import Self

from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from episodic.indexing.plan import last_derivative
from episodic.indexing.steps import builder, steps
from episodic.purge import EVERYTHING, bury, drop_indexes, forget_in_batches
from memmachine.database import own_session, unpooled
from tenants.models import Tenant

logger = logging.getLogger(__name__)

SECONDS = 15
# Every so many rounds all tenants are looked at, and not just those that wrote.
THOROUGH = 20
BATCH = 500


class Maintenance:
    """A thread that looks after the database while the context lasts. What it does is logged;
    what fails is tried again. One process of all does it at a time."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="maintenance", daemon=True)
        self._building: BaseDatabaseWrapper | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        """Stop; a build that is under way is cancelled, and started anew next time."""
        self._stop.set()
        if (session := self._building) and (driver := session.connection):
            driver.cancel_safe(timeout=5)
        self._thread.join(timeout=30)

    def _run(self) -> None:
        rounds, since = 0, -1
        connections[DEFAULT_DB_ALIAS] = unpooled()  # this thread's; the pool is for requests
        while not self._stop.wait(SECONDS if rounds else 1):
            try:
                last = last_derivative()
                self.index(since if rounds % THOROUGH else -1)
                self.purge()
                rounds, since = rounds + 1, last
            except (DatabaseError, InterfaceError) as error:
                if not self._stop.is_set():
                    logger.warning("maintenance is put off: %s", " ".join(str(error).split()))
            except Exception:
                logger.exception("maintenance failed")
            finally:
                connections.close_all()

    def index(self, since: int = -1) -> None:
        """Do what vector indexes need for those that wrote after the derivative `since`."""
        with builder() as session:
            if session is None:
                return
            self._building = session
            try:
                for step in steps(session, since):
                    if self._stop.is_set():
                        return
                    logger.info("%s", step.words)
                    step.run(session)
            finally:
                self._building = None

    def purge(self) -> None:
        """Reclaim what deleted tenants held, the one that was deleted first first."""
        dead = list(Tenant.objects.dead())
        drop_indexes(dead)
        for tenant in dead:
            with own_session() as session:
                for _ in forget_in_batches(session, tenant, EVERYTHING, size=BATCH):
                    if self._stop.is_set():
                        return
            bury(tenant)
