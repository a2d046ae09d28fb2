"""Fits of continuous scores at many numbers of rows, and where one falls behind scikit-learn."""

from math import exp, log

from benchmarks.data import make_rows
from benchmarks.methods import FITTERS, GATED, ISOTONIC, LWCAL, SKLEARN, SORT
from benchmarks.results import GRID, Results
from benchmarks.timing import time_in_turns

SIZES = (
    100, 200, 300, 500, 700,
    1_000, 1_500, 2_000, 3_000, 5_000, 7_000,
    10_000, 15_000, 20_000, 30_000, 50_000, 70_000,
    100_000, 150_000, 200_000, 300_000, 500_000, 700_000,
    1_000_000, 1_500_000, 2_000_000, 3_000_000, 5_000_000, 7_000_000,
    10_000_000,
)  # fmt: skip
"""Thirty numbers of rows, spaced almost geometrically."""
OWN = (LWCAL, GATED, ISOTONIC)
"""The methods that must never be slower than scikit-learn."""
METHODS = (*OWN, SKLEARN, SORT)


def measure_grid(results: Results, most_rows: int, *, budget: float) -> None:
    """Time the fits in turns, at each number of rows up to a limit."""
    fitters = [fitter for fitter in FITTERS if fitter.name in METHODS]
    for rows in within(0, most_rows):
        scores, labels = make_rows(rows, "continuous")
        runs = {fitter.name: fitter.prepare(scores, labels) for fitter in fitters}
        for name, timing in time_in_turns(runs, budget=budget).items():
            results.add_timing(GRID, "continuous", rows, name, timing)


def within(fewest: int, most: int) -> tuple[int, ...]:
    """The numbers of rows of the grid in a range."""
    return tuple(rows for rows in SIZES if fewest <= rows <= most)


def seconds(results: Results, rows: int, method: str) -> float | None:
    """Time of a fit, or None if it was not measured."""
    return results.value(GRID, "continuous", rows, method)


def ratio(results: Results, rows: int, upper: str, lower: str) -> float | None:
    """Time of one method divided by the time of another."""
    return results.ratio(GRID, "continuous", rows, upper, lower)


def excess(results: Results, rows: int, method: str = LWCAL) -> float | None:
    """Time of a fit, divided by the time that its two neighbours predict.

    The prediction is a line between the neighbours, with both axes logarithmic. None if one of the
    three was not measured, and at both ends of the grid.
    """
    place = SIZES.index(rows)
    if not 0 < place < len(SIZES) - 1:
        return None
    fewer, more = SIZES[place - 1], SIZES[place + 1]
    below, here, above = (seconds(results, n, method) for n in (fewer, rows, more))
    if below is None or here is None or above is None:
        return None
    share = log(rows / fewer) / log(more / fewer)
    return here / exp((1 - share) * log(below) + share * log(above))


def slower_than_sklearn(results: Results) -> list[str]:
    """One line for each fit that took longer than scikit-learn's at the same number of rows."""
    return [
        f"{method} fit, {rows:,} rows: slower than scikit-learn's, {longer:.2f} times as long"
        for method in OWN
        for rows in SIZES
        if (longer := ratio(results, rows, method, SKLEARN)) is not None and longer > 1
    ]
