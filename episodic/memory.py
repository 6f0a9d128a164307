"""The event memory of one tenant, as a library.

    >>> from episodic.memory import EventMemory
    >>> memory = EventMemory.open("demo")
    >>> print(memory.query("why were seats sold twice")[0].text)

The API's views, and all else that reads or writes a memory, go through this class.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self
from uuid import UUID

from episodic import forget, ingest, listing
from episodic.content.events import NewEvent
from episodic.embedders import Embedder, embedder
from episodic.listing import HeldEvent, Page, Session
from episodic.models import Segment
from episodic.rankers import ranker
from episodic.rankers.similarity import SimilarityRanker
from episodic.recall import dense, query
from episodic.recall.reading import reading_of
from episodic.recall.selection import Selection
from episodic.recall.timeline import REACH, Seed, walk
from episodic.rendering.lines import DEFAULT_FORMAT, DEFAULT_PARTS, render
from episodic.rendering.timestamps import DatetimeFormat
from memmachine.errors import ComponentNotEnabled, InvalidRequest
from tenants.models import Tenant

EVERYTHING = Selection()
MAX_SEGMENTS = 50_000


@dataclass(frozen=True)
class Hit:
    """A segment that a query found, in its window.

    `segments` is the window in timeline order and `seed` the place in it of the segment found;
    `text` is the window rendered with its ids.
    """

    score: float
    seed: int
    segments: Sequence[Segment]
    text: str


@dataclass(frozen=True)
class Expansion:
    """What stands before and after an anchor, in timeline order, and the same rendered."""

    before: Sequence[Segment]
    after: Sequence[Segment]
    before_text: str
    after_text: str


def sides(expand_context: int) -> tuple[int, int]:
    """How many neighbours before and after a hit: a third of them before."""
    before = expand_context // 3
    return min(before, REACH), min(expand_context - before, REACH)


def size_fault(limit: int, expand_context: int) -> str | None:
    """Why a query's answer would be too large, or None."""
    window = sum(sides(expand_context)) + 1
    if limit * window <= MAX_SEGMENTS:
        return None
    return f"at most {MAX_SEGMENTS} segments are answered; {limit} windows of {window} are more"


class EventMemory:
    """What one tenant remembers. Raises ComponentNotEnabled where it is switched off."""

    def __init__(self, tenant: Tenant) -> None:
        if not tenant.episodic_enabled:
            raise ComponentNotEnabled(f"The episodic memory of {tenant.name!r} is switched off.")
        self.tenant = tenant

    @classmethod
    def open(cls, name: str) -> Self:
        """The memory of the tenant of that name, or TenantNotFound."""
        return cls(Tenant.objects.named(name))

    @property
    def embedder(self) -> Embedder:
        return embedder(self.tenant.embedder)

    def encode(self, events: Sequence[NewEvent]) -> list[UUID]:
        """Store a batch whole or not at all; the uuids in the order given. Raises EventExists."""
        return ingest.store(self.tenant, self.embedder, events)

    def forget(self, uuids: Iterable[UUID]) -> None:
        """Remove events and all that came of them; what is not held is ignored."""
        forget.forget(self.tenant, uuids)

    def query(
        self,
        cue: str,
        *,
        limit: int | None = None,
        expand_context: int | None = None,
        min_cosine_similarity: float | None = None,
        selection: Selection = EVERYTHING,
        ranked: bool = True,
        candidates: int | None = None,
        min_score: float | None = None,
        datetime_format: DatetimeFormat = DEFAULT_FORMAT,
        parts: Sequence[str] = DEFAULT_PARTS,
    ) -> list[Hit]:
        """The windows around the segments that match the cue, best first.

        The `limit` best among the segments selected; `expand_context` neighbours around each, a
        third of them before. The tenant's defaults stand in for what is None. Unless `ranked`,
        the order is plain cosine similarity. At least `candidates` are ranked, and `min_score`
        then drops. A query for too many segments is an InvalidRequest.
        """
        limit = self.tenant.query_limit if limit is None else limit
        expand = self.tenant.expand_context if expand_context is None else expand_context
        before, after = sides(expand)
        if fault := size_fault(limit, expand):
            raise InvalidRequest(f"limit: {fault}")
        order = ranker(self.tenant.ranker) if ranked else SimilarityRanker()
        vector = query.cue_vector(self.embedder, cue)
        depth = max(limit, candidates or 0)
        with reading_of(self.tenant, partial(dense.opened, limit=depth)) as sealed:
            if vector is None:
                return []
            found = dense.nearest(
                self.tenant,
                sealed,
                vector,
                limit=depth,
                min_similarity=min_cosine_similarity,
                selection=selection,
            )
            best = query.rank(order, found, limit=limit, min_score=min_score)
            windows = walk(
                self.tenant,
                [hit.seed for hit in best],
                before=before,
                after=after,
                selection=selection,
            )
        return [
            Hit(
                score=hit.score,
                seed=len(window.before),
                segments=window.segments,
                text=render(window.segments, datetime_format=datetime_format, parts=parts),
            )
            for hit, window in zip(best, windows, strict=True)
        ]

    def expand(
        self,
        anchor: UUID,
        *,
        before: int | None = None,
        after: int | None = None,
        selection: Selection = EVERYTHING,
        datetime_format: DatetimeFormat = DEFAULT_FORMAT,
        parts: Sequence[str] = DEFAULT_PARTS,
    ) -> Expansion:
        """What stands around a segment in its session: the timeline walked on from it.

        The selection chooses neighbours and never the anchor. An anchor that is no segment of
        this tenant is an InvalidRequest.
        """
        with reading_of(self.tenant):
            segment = listing.segment(self.tenant, anchor)
            if segment is None:
                raise InvalidRequest(f"anchor: the tenant holds no segment {anchor}")
            (window,) = walk(
                self.tenant,
                [Seed(segment.pk, segment.session_id, segment.position)],
                before=self.tenant.expand_before if before is None else before,
                after=self.tenant.expand_after if after is None else after,
                selection=selection,
            )
        return Expansion(
            window.before,
            window.after,
            render(window.before, datetime_format=datetime_format, parts=parts),
            render(window.after, datetime_format=datetime_format, parts=parts),
        )

    def events(
        self, *, selection: Selection = EVERYTHING, limit: int = 100, cursor: str | None = None
    ) -> Page[HeldEvent]:
        """The events selected, in timeline order, page by page."""
        with reading_of(self.tenant):
            return listing.events(self.tenant, selection=selection, limit=limit, cursor=cursor)

    def event(self, uuid: UUID) -> HeldEvent:
        """The event of that uuid, or NotFound."""
        with reading_of(self.tenant):
            return listing.event(self.tenant, uuid)

    def sessions(self, *, limit: int = 100, cursor: str | None = None) -> Page[Session]:
        """The sessions, the one that was latest at work first, page by page."""
        with reading_of(self.tenant):
            return listing.sessions(self.tenant, limit=limit, cursor=cursor)
