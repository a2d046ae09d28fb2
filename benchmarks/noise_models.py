"""Times of the calibrators with a noise model, on few rows and on many."""

import lwcal
from benchmarks.data import make_checked_rows, make_rows
from benchmarks.methods import AUDITED, AUTO, NOISE_AWARE, Run
from benchmarks.results import NOISE_MODELS, Results
from benchmarks.timing import time_in_turns

FEW, MANY = 500, 100_000
AUDITED_ROWS, CHECKED = 5_000, 50


def measure_noise_models(results: Results, most_rows: int, *, budget: float) -> None:
    """Time the fits at each number of rows up to a limit."""
    for rows in (FEW, AUDITED_ROWS, MANY):
        if rows <= most_rows:
            for name, timing in time_in_turns(_fits(rows), budget=budget).items():
                results.add_timing(NOISE_MODELS, "continuous", rows, name, timing)


def _fits(rows: int) -> dict[str, Run]:
    if rows == AUDITED_ROWS:
        scores, labels, truths = make_checked_rows(rows, CHECKED)
        return {AUDITED: lambda: lwcal.Audited().fit(scores, labels, y_audited=truths)}
    scores, labels = make_rows(rows, "continuous")
    return {
        NOISE_AWARE: lambda: lwcal.NoiseAware().fit(scores, labels),
        AUTO: lambda: lwcal.Auto().fit(scores, labels),
    }
