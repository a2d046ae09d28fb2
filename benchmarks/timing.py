"""Wall times of several functions, measured in turns so that load affects all alike."""

import gc
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

FEWEST_TURNS = 3
"""Minimum number of turns of a function that is not slow."""
SLOW_SECONDS = 8.0
"""A function that takes longer runs only once."""
TURN_SECONDS = 0.005
"""Minimum length of a turn, so that fast functions run with warm caches."""


@dataclass(frozen=True)
class Timing:
    """The runs of one function."""

    best: float
    median: float
    runs: int


@dataclass
class _Stopwatch:
    """One function and the times of its runs."""

    function: Callable[[], Any]
    times: list[float] = field(default_factory=list)
    turns: int = 0

    def is_due(self, budget: float) -> bool:
        if self.times and self.times[0] > SLOW_SECONDS:
            return False
        return self.turns < FEWEST_TURNS or sum(self.times) < budget

    def take_turn(self) -> None:
        self.turns += 1
        end = perf_counter() + TURN_SECONDS
        while True:
            start = perf_counter()
            result = self.function()
            stop = perf_counter()
            self.times.append(stop - start)
            del result  # freeing memory is not part of the run
            if stop >= end:
                return


@contextmanager
def undisturbed() -> Iterator[None]:
    """Switch off the garbage collector and warnings."""
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # venn_abers divides by zero on purpose
            yield
    finally:
        gc.enable()


def time_in_turns(
    functions: Mapping[str, Callable[[], Any]], *, budget: float
) -> dict[str, Timing]:
    """Run every function several times, and return its times.

    Parameters
    ----------
    functions : mapping of name to function
    budget : float
        Seconds per function, in addition to the minimum number of turns.
    """
    watches = {name: _Stopwatch(function) for name, function in functions.items()}
    with undisturbed():
        while due := [watch for watch in watches.values() if watch.is_due(budget)]:
            for watch in due:
                watch.take_turn()
    return {
        name: Timing(min(watch.times), median(watch.times), len(watch.times))
        for name, watch in watches.items()
    }
