from collections.abc import Sequence

from episodic.rankers.base import Candidate, Ranker


class SimilarityRanker(Ranker):
    """Plain cosine similarity between the cue and the best sentence of a segment."""

    def scores(self, candidates: Sequence[Candidate]) -> list[float]:
        return [candidate.similarity for candidate in candidates]
