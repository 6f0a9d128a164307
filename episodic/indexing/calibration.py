"""How widely an index must be searched to find what an exact search finds."""

import logging
import random
from statistics import mean

from django.db.backends.base.base import BaseDatabaseWrapper

from episodic.models import VectorIndex
from episodic.recall.dense import wanted
from episodic.sql import indexing as sql

logger = logging.getLogger(__name__)

RECALL = 0.985
CUES = 40
HITS = 10
# From what is quick to what pgvector allows.
BREADTHS = [100, 150, 200, 300, 400, 600, 800, 1_000]


def breadth(session: BaseDatabaseWrapper, index: VectorIndex) -> int:
    """The least breadth at which a search for ten finds 98.5 % of them, on the average of cues
    that are made of the index's own vectors."""
    pick = random.Random(index.sealed)  # noqa: S311  # a sample, no secret
    places = [[pick.randint(1, index.sealed) for _ in range(CUES)] for _ in range(2)]
    with session.cursor() as cursor:
        cursor.execute(sql.SEARCH_THE_INDEX)
        cursor.execute(sql.cues(index), {"places": places[0], "others": places[1]})
        cues = [cue for (cue,) in cursor.fetchall()]
        farthest = []
        for cue in cues:
            cursor.execute(sql.exact_distances(index), {"cue": cue, "hits": HITS})
            farthest.append(cursor.fetchall()[-1][0])
        for tried in BREADTHS:
            cursor.execute("SELECT set_config('hnsw.ef_search', %s, FALSE)", [str(tried)])
            found = []
            for cue, limit in zip(cues, farthest, strict=True):
                params = {"cue": cue, "hits": HITS, "rows": wanted(HITS), "farthest": limit}
                cursor.execute(sql.found_within(index), params)
                found.append(cursor.fetchone()[0])
            if not found or mean(found) >= RECALL * HITS:
                return tried
    logger.warning("%s finds %.1f %% at its broadest", index.name, 100 * mean(found) / HITS)
    return tried
