"""How far a long command is, for the person or the log that waits for it."""

import sys
from typing import Any

from django.core.management.base import OutputWrapper
from tqdm import tqdm


def progress(stream: OutputWrapper, total: int | None, unit: str) -> "tqdm[Any]":
    """A bar with a rate and an estimate; rarely drawn where nobody sits at a terminal."""
    patience = 0.2 if sys.stderr.isatty() else 10.0
    return tqdm(total=total, unit=f" {unit}", file=stream, mininterval=patience, dynamic_ncols=True)
