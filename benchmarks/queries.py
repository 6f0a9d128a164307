"""What a query costs, filtered and not, and whether its answers are right."""

from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import World
from benchmarks.filters import UNFILTERED, Filter, filters
from benchmarks.floor import Reader, Statement, recorded
from benchmarks.measure import contest
from benchmarks.recall import AT, BruteForce
from benchmarks.report import Report, Row
from benchmarks.server import Client, as_json

CUES = 24
NEIGHBOURS = (0, 6)


class Question(NamedTuple):
    """One query in the three forms in which it is asked."""

    body: bytes
    arguments: dict[str, Any]
    statements: list[Statement]


def measure(report: Report, url: str, world: World, seconds: float) -> None:
    """Every kind of query on the tenant of a world, `seconds` each."""
    from episodic.embedders import embedder
    from episodic.memory import EventMemory

    memory = EventMemory.open(world.name)
    client, reader = Client(url, world.name), Reader()
    cues = world.cues(CUES)
    vectors = np.asarray(embedder(memory.tenant.embedder).embed(cues), np.float32)
    truth = BruteForce(memory.tenant.pk, vectors)
    report.section(f"Query, 10 hits, {world.events:,} events, {len(truth):,} derivatives")
    for kept in [UNFILTERED, *filters(world)]:
        recall = None
        for neighbours in NEIGHBOURS if kept.name.startswith(("no", "property ")) else (6,):
            questions, answers = [], []
            for cue in cues:
                question, found = _question(memory, cue, kept, neighbours)
                questions.append(question)
                answers.append(found)
            if recall is None:
                recall = truth.recall(kept, answers)
            times = contest(
                {
                    "ours": [lambda asked: client.post("/episodic-memory/query", asked.body)],
                    "library": [lambda asked: memory.query(**asked.arguments)],
                    "floor": [lambda asked: reader(asked.statements)],
                },
                questions,
                seconds=seconds,
            )
            report.add(
                Row.of(
                    f"{kept.name}, {neighbours} around",
                    world.events,
                    times,
                    recall=recall,
                    filter=kept.name,
                    neighbours=neighbours,
                    derivatives=len(truth),
                )
            )


def _question(memory: Any, cue: str, kept: Filter, neighbours: int) -> tuple[Question, list[int]]:
    """A query, and the keys of the segments that the library finds with it."""
    from episodic.api.serializers import QueryInput

    body = {"query": cue, "limit": AT, "expand_context": neighbours, **kept.body}
    arguments = QueryInput().run_validation(body)
    arguments["cue"] = arguments.pop("query")
    hits = []
    statements = recorded(lambda: hits.extend(memory.query(**arguments)))
    found = [hit.segments[hit.seed].pk for hit in hits]
    return Question(as_json(body), arguments, statements), found
