"""Two things are compared by doing them in turns, so that noise hits both."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import median, quantiles
from typing import Any, TypeVar

T = TypeVar("T")
Call = Callable[[T], Any]

FEWEST = 5  # rounds, however slow the calls are


@dataclass
class Times:
    """What the calls of one side took."""

    calls: list[float] = field(default_factory=list)  # milliseconds each
    rates: list[float] = field(default_factory=list)  # calls a second, all clients, each round

    @property
    def median(self) -> float:
        return median(self.calls)

    @property
    def p95(self) -> float:
        return quantiles(self.calls, n=20, method="inclusive")[-1]

    @property
    def rate(self) -> float:
        return median(self.rates)


def contest(
    sides: Mapping[str, Sequence[Call[T]]],
    arguments: Sequence[T],
    *,
    seconds: float,
    per_round: int = 1,
) -> dict[str, Times]:
    """Let the sides do the same in turns, until `seconds` are over or each argument was used.

    A side is one call for each of its clients, who work at the same time. In a round a client
    makes `per_round` calls; the side that begins changes from round to round. A first round
    that is not measured warms both sides.
    """
    clients = len(next(iter(sides.values())))
    share = clients * per_round
    rounds = [arguments[i : i + share] for i in range(0, len(arguments) - share + 1, share)]
    times = {name: Times() for name in sides}
    names = list(sides)
    for name in names:
        _round(sides[name], rounds[0], Times())
    start = time.perf_counter()
    for number, work in enumerate(rounds):
        if number >= FEWEST and time.perf_counter() - start > seconds:
            break
        for name in names:
            _round(sides[name], work, times[name])
        names = names[1:] + names[:1]
    return times


def _round(calls: Sequence[Call[T]], work: Sequence[T], times: Times) -> None:
    shares = [list(islice(work, client, None, len(calls))) for client in range(len(calls))]
    start = time.perf_counter()
    if len(calls) == 1:
        times.calls += _timed(calls[0], shares[0])
    else:
        together(
            [
                lambda call=call, share=share: times.calls.extend(_timed(call, share))  # type: ignore[misc]
                for call, share in zip(calls, shares, strict=True)
            ]
        )
    times.rates.append(len(work) / (time.perf_counter() - start))


def _timed(call: Call[T], arguments: Sequence[T]) -> list[float]:
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append((time.perf_counter() - start) * 1_000)
    return times


def together(tasks: Sequence[Callable[[], Any]]) -> None:
    """Do all of them at once, a thread each; the first failure is raised."""
    failures: list[BaseException] = []

    def run(task: Callable[[], Any]) -> None:
        try:
            task()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=[task]) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def once(call: Callable[[], Any]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
