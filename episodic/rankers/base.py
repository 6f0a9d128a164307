from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from episodic.recall.timeline import Seed


@dataclass(frozen=True)
class Candidate:
    """A segment that a search found, and the cosine of its best sentence with the cue."""

    seed: Seed
    similarity: float


class Ranker(ABC):
    """Orders what a search found."""

    @abstractmethod
    def scores(self, candidates: Sequence[Candidate]) -> list[float]:
        """A score for each candidate, the higher the better."""
