"""Brute force over every vector of a tenant, for a fast wrong answer is nothing."""

from collections.abc import Sequence
from statistics import mean

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.sql import SQL, Literal

from benchmarks.filters import Filter
from benchmarks.floor import connect
from episodic.processing.deriving import MAX_DERIVATIVES

AT = 10
ROUNDING = 1e-4  # of a similarity between halves, here and in the database
CHUNK = 100_000


class BruteForce:
    """All derivatives of a tenant in memory, and the similarity of each to each cue."""

    def __init__(self, tenant_id: int, cues: NDArray[np.float32]) -> None:
        self._tenant = tenant_id
        segments: list[NDArray[np.int64]] = []
        events: list[NDArray[np.int64]] = []
        scores: list[NDArray[np.float32]] = []
        with connect() as connection, connection.transaction():
            # The binary form of a halfvec is two lengths and then its numbers.
            cursor = psycopg.ServerCursor(connection, "vectors")
            cursor.execute(
                "SELECT l.segment_id, d.event_id, halfvec_send(d.embedding)"
                "  FROM episodic_derivative AS d JOIN episodic_link AS l ON l.derivative_id = d.id"
                " WHERE d.tenant_id = %s",
                [tenant_id],
                binary=True,
            )
            while rows := cursor.fetchmany(CHUNK):
                segments.append(np.array([row[0] for row in rows]))
                events.append(np.array([row[1] for row in rows]))
                numbers = np.frombuffer(b"".join(row[2][4:] for row in rows), dtype=">f2")
                scores.append(numbers.reshape(len(rows), -1).astype(np.float32) @ cues.T)
        self._segments = np.concatenate(segments)
        self._events = np.concatenate(events)
        self._scores = np.concatenate(scores)

    def __len__(self) -> int:
        return len(self._segments)

    def recall(self, kept: Filter, answers: Sequence[Sequence[int]]) -> float:
        """Which share of the 10 nearest segments that a filter keeps was found, over all cues.

        `answers` holds the keys of the segments that were found, for each cue. One that is as
        near as the tenth counts, since between those a search is free to choose.
        """
        with connect() as connection:
            # Not bound: the % of a filter is no placeholder.
            statement = SQL("SELECT id FROM episodic_event WHERE tenant_id = {} AND ({})").format(
                Literal(self._tenant), SQL(kept.where)
            )
            events = connection.execute(statement).fetchall()
        among = np.isin(self._events, np.array([id for (id,) in events], dtype=np.int64))
        segments, scores = self._segments[among], self._scores[among]
        return mean(
            _found(segments, scores[:, cue], set(answer)) for cue, answer in enumerate(answers)
        )


def _found(segments: NDArray[np.int64], scores: NDArray[np.float32], answer: set[int]) -> float:
    best: dict[int, float] = {}
    enough = AT * MAX_DERIVATIVES  # for as many segments
    nearest = np.arange(len(scores))
    if len(scores) > enough:
        nearest = np.argpartition(-scores, enough)[:enough]
    for place in nearest[np.argsort(-scores[nearest])]:
        if len(best) == AT:
            break
        best.setdefault(int(segments[place]), float(scores[place]))
    if not best:
        return 1.0
    as_near = scores >= min(best.values()) - ROUNDING
    near = set(segments[as_near].tolist())
    return min(len(near & answer), len(best)) / len(best)
