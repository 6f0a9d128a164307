"""Clients that go away: in the middle of a request, or before they have read the answer."""

import json
import socket
import struct
from urllib.parse import urlsplit

from tests.faults.events import event
from tests.faults.ledger import Batch, Ledger, Outcome


def post_and_go(
    url: str, tenant: str, ledger: Ledger, batch: Batch, part: float, reset: bool
) -> None:
    """Send that part of a post, and hang up: with a reset, or as at the end of a program."""
    body = json.dumps([event(id, batch.session_id) for id in batch.ids]).encode()
    head = (
        f"POST /v1/tenants/{tenant}/events HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    # Less than all of it is no request; of a whole one nobody knows what becomes.
    sent = int(part * len(body))
    batch.answered(Outcome.UNANSWERED if sent >= len(body) else Outcome.OVERLOADED)
    ledger.begin(batch)
    address = urlsplit(url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(head + body[:sent])
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
