"""How long and how often: the same each time in `make test`, by chance in `make soak`."""

import os
from random import Random

SEED = os.environ.get("MEMMACHINE_SOAK_SEED")


class Pace:
    """One test's timings. Its seed is the run's and the test's, so that a failure comes again."""

    def __init__(self, test: str) -> None:
        self.random = Random(f"{SEED or 0} {test}")

    soaks = SEED is not None

    def seconds(self, short: float, longest: float) -> float:
        return self.random.uniform(short / 2, longest) if SEED else short

    def times(self, few: int, most: int) -> int:
        return self.random.randint(1, most) if SEED else few
