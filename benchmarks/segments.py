"""Time of fitting one calibrator for each of many segments, compared with sorting their scores."""

import numpy as np

import lwcal
from benchmarks.data import make_rows
from benchmarks.fitting import RUN_LIMIT
from benchmarks.methods import SORT, Run
from benchmarks.results import SEGMENTS, Results
from benchmarks.timing import time_in_turns

ROWS_EACH = 2_000
COUNTS = (10, 100, 1_000)
"""Numbers of segments."""
SIZES = tuple(count * ROWS_EACH for count in COUNTS)
"""Rows of all segments together."""
ALONE, SHARED = "fit_segments, prior_rows=0", "fit_segments"
"""Each segment alone; and the default, in which a segment borrows from all rows."""
ALLOWANCE = 50e-6
"""Seconds that a fit may take beyond sorting, for each segment."""

Rows = list[tuple[np.ndarray, np.ndarray]]
"""Scores and labels of each segment."""


def measure_segments(results: Results, most_rows: int, *, budget: float) -> None:
    """Time the way from rows to a map for each segment, for as many segments as fit the limit."""
    for count in COUNTS:
        if count * ROWS_EACH > most_rows:
            return
        rows = [make_rows(ROWS_EACH, "continuous", seed=seed) for seed in range(count)]
        for name, timing in time_in_turns(_runs(rows, results), budget=budget).items():
            results.add_timing(SEGMENTS, "continuous", count * ROWS_EACH, name, timing)


def _runs(rows: Rows, results: Results) -> dict[str, Run]:
    columns = columns_of(rows)
    runs: dict[str, Run] = {
        SORT: lambda: [np.sort(scores) for scores, _ in rows],
        ALONE: lambda: _fit(columns, prior_rows=0),
    }
    if is_feasible(results, len(rows)):
        runs[SHARED] = lambda: _fit(columns)
    return runs


def columns_of(rows: Rows) -> list[np.ndarray]:
    """Scores, labels and segments of all rows, segment after segment."""
    scores, labels = map(np.concatenate, zip(*rows, strict=True))
    return [scores, labels, np.arange(len(scores)) // ROWS_EACH]


def _fit(columns: list[np.ndarray], **options: float) -> object:
    tables = lwcal.segments.segment_tables(*columns)
    return lwcal.fit_segments(tables, lwcal.LWCal(), **options)


def is_feasible(results: Results, count: int) -> bool:
    """Whether the default is fast enough for so many segments, judging by fewer.

    Each segment borrows from all, so the time can grow with the square of their number.
    """
    if count == COUNTS[0]:
        return True
    fewer = COUNTS[COUNTS.index(count) - 1]
    seconds = results.value(SEGMENTS, "continuous", fewer * ROWS_EACH, SHARED)
    return seconds is not None and seconds * (count / fewer) ** 2 <= RUN_LIMIT


def excess(results: Results, rows: int, method: str) -> float | None:
    """Time divided by that of the sorts and the allowance of each segment."""
    seconds = results.value(SEGMENTS, "continuous", rows, method)
    sorts = results.value(SEGMENTS, "continuous", rows, SORT)
    if seconds is None or sorts is None:
        return None
    return seconds / (sorts + rows / ROWS_EACH * ALLOWANCE)
