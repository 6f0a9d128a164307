"""The replica that reads may go to, and whether it is there."""

import logging
import time

import psycopg
from django.db import connections

from memmachine.snapshot import reading

logger = logging.getLogger(__name__)

REPLICA = "replica"
SECONDS_BETWEEN_LOOKS = 5


class Replica:
    """What this process knows of its replica. One that was lost is left alone, and looked for
    again by one request every few seconds."""

    def __init__(self) -> None:
        self._lost = False
        self._looked = float("-inf")

    def is_usable(self) -> bool:
        """Whether a read may go there: none inside a transaction, which reads what it wrote."""
        if REPLICA not in connections.settings or reading().in_atomic_block:
            return False
        return not self._lost or self.look()

    def look(self) -> bool:
        """Whether it can be reached, asked of itself: a pool only says that it waited."""
        now = time.monotonic()
        if now - self._looked < SECONDS_BETWEEN_LOOKS:
            return not self._lost
        self._looked = now
        try:
            psycopg.connect(**connections[REPLICA].get_connection_params()).close()
        except psycopg.Error as error:
            if not self._lost:
                reason = " ".join(str(error).split())
                logger.warning("The replica is lost, the primary answers for it: %s", reason)
            self._lost = True
        else:
            if self._lost:
                logger.info("The replica is back.")
            self._lost = False
        return not self._lost


replica = Replica()
