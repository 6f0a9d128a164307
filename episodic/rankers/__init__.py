"""Rankers: candidates to scores. The setting RANKERS names them, a tenant names one."""

from episodic.rankers.base import Candidate, Ranker
from memmachine.backends import backend

__all__ = ["Candidate", "Ranker", "ranker"]


def ranker(name: str) -> Ranker:
    """The ranker under that name; ComponentNotEnabled where it cannot be built."""
    built: Ranker = backend("RANKERS", name)
    return built
