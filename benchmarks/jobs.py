"""Times of two whole jobs in one process: all metrics, and the HTML report."""

import tempfile
from pathlib import Path

import numpy as np

import lwcal
from benchmarks.data import make_rows
from benchmarks.methods import SORT
from benchmarks.results import EVALUATE, REPORT, Results
from benchmarks.timing import time_in_turns
from lwcal.metrics import evaluate
from lwcal.report import write_report

ROWS = 1_000_000
METRICS, PAGE = "evaluate", "write_report"


def measure_jobs(results: Results, most_rows: int, *, budget: float) -> None:
    """Time both jobs on the same rows, at most so many."""
    rows = min(ROWS, most_rows)
    scores, labels = make_rows(rows, "continuous")
    runs = {METRICS: lambda: evaluate(labels, scores), SORT: lambda: np.sort(scores)}
    for name, timing in time_in_turns(runs, budget=budget).items():
        results.add_timing(EVALUATE, "continuous", rows, name, timing)
    calibrator = lwcal.Auto().fit(scores, labels)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        runs = {PAGE: lambda: write_report(calibrator, scores, labels, path=page, overwrite=True)}
        for name, timing in time_in_turns(runs, budget=0.0).items():
            results.add_timing(REPORT, "continuous", rows, name, timing)
