"""What a query costs, filtered and not, and whether its answers are right."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.data import World
from benchmarks.filters import UNFILTERED, Filter, filters
from benchmarks.floor import Reader, Statement, recorded
from benchmarks.measure import FEWEST, Call, contest
from benchmarks.recall import AT, BruteForce
from benchmarks.report import Report, Row
from benchmarks.server import Client, as_json

if TYPE_CHECKING:
    from episodic.memory import EventMemory

CUES = 24
NEIGHBOURS = (0, 6)
PATH = "/episodic-memory/query"


class Question(NamedTuple):
    """One query in the forms in which it is asked."""

    body: bytes
    unfiltered: bytes  # the body without the filter
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
        recall = truth.recall(kept, _answers(memory, cues, kept, seconds))
        for neighbours in NEIGHBOURS if kept.with_and_without_neighbours else NEIGHBOURS[1:]:
            sides: dict[str, list[Call[Question]]] = {
                "ours": [lambda asked: client.post(PATH, asked.body)],
                "library": [lambda asked: memory.query(**asked.arguments)],
                "floor": [lambda asked: reader(asked.statements)],
            }
            if kept is not UNFILTERED:
                sides["unfiltered"] = [lambda asked: client.post(PATH, asked.unfiltered)]
            questions = _questions(memory, cues, kept, neighbours, seconds)
            times = contest(sides, questions, seconds=seconds)
            report.add(
                Row.of(
                    f"{kept.name}, {neighbours} around",
                    world.events,
                    times,
                    recall=recall,
                    filter=kept.name,
                    neighbours=neighbours,
                    derivatives=len(truth),
                    unfiltered=times["unfiltered"].median if "unfiltered" in times else None,
                )
            )


def measure_growth(report: Report, url: str, small: World, large: World, seconds: float) -> None:
    """The same queries to a small tenant and a large one in turns; the small one's times stand
    in the floor's column."""
    report.section(f"Growth of a query over that of {small.events:,} events")
    clients = [Client(url, world.name) for world in (large, small)]
    for neighbours in NEIGHBOURS:
        bodies = [as_json(_body(cue, UNFILTERED, neighbours)) for cue in small.cues(CUES)]
        times = contest(
            {
                "ours": [lambda body: clients[0].post(PATH, body)],
                "floor": [lambda body: clients[1].post(PATH, body)],
            },
            bodies,
            seconds=seconds,
        )
        report.add(Row.of(f"growth, {neighbours} around", large.events, times))


def _answers(
    memory: "EventMemory", cues: Sequence[str], kept: Filter, seconds: float
) -> list[list[int]]:
    """The keys of the segments that are found by similarity alone, whatever ranker is usual."""
    answers: list[list[int]] = []
    start = time.perf_counter()
    for cue in cues:
        if len(answers) > FEWEST and time.perf_counter() - start > seconds:
            break  # slow ones: fewer cues will do
        arguments = _arguments(_body(cue, kept, 0))
        hits = memory.query(**arguments | {"ranked": False})
        answers.append([hit.segments[hit.seed].pk for hit in hits])
    return answers


def _questions(
    memory: "EventMemory", cues: Sequence[str], kept: Filter, neighbours: int, seconds: float
) -> list[Question]:
    questions: list[Question] = []
    start = time.perf_counter()
    for cue in cues:
        if len(questions) > FEWEST and time.perf_counter() - start > seconds:
            break
        body = _body(cue, kept, neighbours)
        unfiltered = as_json(_body(cue, UNFILTERED, neighbours))
        arguments = _arguments(body)
        statements = recorded(lambda arguments=arguments: memory.query(**arguments))  # type: ignore[misc]
        questions.append(Question(as_json(body), unfiltered, arguments, statements))
    return questions


def _body(cue: str, kept: Filter, neighbours: int) -> dict[str, Any]:
    return {"query": cue, "limit": AT, "expand_context": neighbours, **kept.body}


def _arguments(body: dict[str, Any]) -> dict[str, Any]:
    """What the view calls the library with."""
    from episodic.api.serializers import QueryInput

    arguments: dict[str, Any] = QueryInput().run_validation(body)
    return arguments | {"cue": arguments.pop("query")}
