"""Time of eight threads that fit eight tables, compared with two processes that do the same."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np

import lwcal
from benchmarks.data import make_rows
from benchmarks.results import THREADS, Results
from benchmarks.timing import time_in_turns

ROWS = (1_000_000, 720_000, 520_000, 370_000, 270_000, 190_000, 140_000, 100_000)
"""Rows of the eight tables, the largest first."""
EIGHT_THREADS, TWO_PROCESSES = "eight threads", "two processes"

_tables: list[tuple[np.ndarray, np.ndarray]] = []


def measure_threads(results: Results, most_rows: int, *, budget: float) -> None:
    """Fit the tables, or smaller ones if the largest has too many rows."""
    shrink = max(1, -(-ROWS[0] // most_rows))
    sizes = tuple(rows // shrink for rows in ROWS)
    _make_tables(sizes)
    places = range(len(sizes))
    with (
        ThreadPoolExecutor(len(sizes)) as threads,
        ProcessPoolExecutor(2, get_context("spawn"), _make_tables, (sizes,)) as processes,
    ):
        runs = {
            EIGHT_THREADS: lambda: list(threads.map(_fit, places)),
            TWO_PROCESSES: lambda: list(processes.map(_fit, places)),
        }
        runs[TWO_PROCESSES]()  # so that both have started
        for name, timing in time_in_turns(runs, budget=budget).items():
            results.add_timing(THREADS, "continuous", sizes[0], name, timing)
    _tables.clear()


def _make_tables(sizes: tuple[int, ...]) -> None:
    _tables[:] = [make_rows(rows, "continuous") for rows in sizes]


def _fit(place: int) -> None:
    """Fit one table and keep nothing, so that no process sends a calibrator to another."""
    lwcal.LWCal().fit(*_tables[place])
