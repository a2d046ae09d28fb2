"""Judge the methods and the verdict on one cell of the trap suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from threadpoolctl import threadpool_limits

import lwcal
from lwcal_study.real.tasks import REAL_TASKS
from lwcal_study.scored_rows import ScoredRows
from lwcal_study.traps.cells import TrapCell, fit_and_score

RAW, PLATT, AUTO, CLEAN_PLATT = "Raw", "Platt", "Auto", "Platt on clean labels"
METHODS: dict[str, Callable[[], Any]] = {
    RAW: lwcal.Identity,
    PLATT: lwcal.Platt,
    "Isotonic": lwcal.Isotonic,
    "GatedLWCal": lwcal.GatedLWCal,
    "NoiseAware": lwcal.NoiseAware,
    AUTO: lwcal.Auto,
    CLEAN_PLATT: lwcal.Platt,
}
"""Methods of the suite. The last one is fitted to clean labels."""


def run_cell(cell: TrapCell) -> dict[str, Any]:
    """Judge every method at every size. The result has JSON types."""
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        found = fit_and_score(cell)
        return {
            "cell": {"part": REAL_TASKS[cell.task].part, **asdict(cell)},
            "results": [
                {"n": size, **judge(rows)} for size, rows in found.items() if has_both(rows)
            ],
        }


def has_both(rows: ScoredRows) -> bool:
    """Whether calibration and test rows have both classes; otherwise nothing can be judged."""
    return all(len(set(labels)) == 2 for labels in (rows.y_noisy, rows.y_clean, rows.y_test))


def judge(rows: ScoredRows) -> dict[str, Any]:
    """Log loss of every method on the true test labels, and the verdict on the noisy ones."""
    losses = {}
    for name, make in METHODS.items():
        labels = rows.y_clean if name == CLEAN_PLATT else rows.y_noisy
        fitted = make().fit(rows.calibration, labels)
        losses[name] = lwcal.metrics.nll(rows.y_test, fitted.predict(rows.test))
    verdict = lwcal.diagnose(rows.calibration, rows.y_noisy).recommendation.action
    return {"n_test": len(rows.y_test), "verdict": verdict, "nll": losses}
