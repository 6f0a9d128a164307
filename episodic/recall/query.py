"""From a cue to hits: embed it, and rank the candidates that were found for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import HalfVector

from episodic.embedders import Embedder
from episodic.processing.deriving import searchable
from episodic.rankers import Candidate, Ranker
from episodic.recall.timeline import Seed


@dataclass(frozen=True)
class Ranked:
    """A candidate with the ranker's score."""

    seed: Seed
    score: float


def cue_vector(embedder: Embedder, cue: str) -> HalfVector | None:
    """The cue as it is, embedded; None for one in which nothing can be searched."""
    if not searchable(cue):
        return None
    (vector,) = embedder.embed([cue])
    return HalfVector(vector) if vector.any() else None


def rank(
    ranker: Ranker, candidates: Sequence[Candidate], *, limit: int, min_score: float | None
) -> list[Ranked]:
    """The best candidates, scores falling, equal ones in timeline order."""
    found = [
        Ranked(candidate.seed, score)
        for candidate, score in zip(candidates, ranker.scores(candidates), strict=True)
        if min_score is None or score >= min_score
    ]
    return sorted(found, key=lambda hit: (-hit.score, hit.seed.position))[:limit]
