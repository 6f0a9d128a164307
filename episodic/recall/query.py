"""From a cue to hits: embed, find candidates under all filters, rank, read their windows."""

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import HalfVector

from episodic import sql
from episodic.embedders import Embedder
from episodic.position import Position
from episodic.processing.deriving import MAX_DERIVATIVES, searchable
from episodic.rankers import Candidate, Ranker
from episodic.recall.selection import Selection
from episodic.recall.timeline import Seed
from memmachine.snapshot import reading
from tenants.models import Tenant


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


def nearest(
    tenant: Tenant,
    vector: HalfVector,
    *,
    limit: int,
    min_similarity: float | None,
    selection: Selection,
) -> list[Candidate]:
    """The `limit` segments nearest to the cue among those selected, one a segment."""
    statement, params = sql.nearest(
        tenant_id=tenant.pk,
        generation=tenant.generation,
        cue=vector.to_text(),
        dimensions=vector.dimensions(),
        limit=limit,
        per_segment=MAX_DERIVATIVES,
        farthest=2 if min_similarity is None else 1 - min_similarity,
        selection=selection,
    )
    with reading().cursor() as cursor:
        cursor.execute(statement, params)
        return [
            Candidate(
                Seed(id, session_id, Position(timestamp, event_uuid, index, offset)),
                similarity=min(1.0, max(-1.0, 1 - distance)),
            )
            for id, session_id, timestamp, event_uuid, index, offset, distance in cursor.fetchall()
        ]


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
