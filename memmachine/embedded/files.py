"""Files that only their owner reads, and locks, which the system drops with their holders."""

import fcntl
import os
from pathlib import Path
from typing import IO


def private(path: Path, mode: str = "w") -> IO[str]:
    """Open a file, made with mode 0600 if it is missing; an existing one stays whose it is."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))


def lock_now(file: IO[str]) -> bool:
    """Lock a file for ourselves alone, unless others hold it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
