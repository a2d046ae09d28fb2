"""Judge the methods and the verdict on one cell of the trap suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

import lwcal
from lwcal_study.real.tasks import REAL_TASKS
from lwcal_study.scored_rows import ScoredRows
from lwcal_study.traps.cells import TrapCell, fit_and_score

CHECKS = 25
"""Number of labels that are checked, chosen at random."""
RAW, PLATT, AUTO, CLEAN_PLATT = "Raw", "Platt", "Auto", "Platt on clean labels"
AUDITED = f"Audited, {CHECKS} checked"
METHODS: dict[str, Callable[[], Any]] = {
    RAW: lwcal.Identity,
    PLATT: lwcal.Platt,
    "Isotonic": lwcal.Isotonic,
    "GatedLWCal": lwcal.GatedLWCal,
    "NoiseAware": lwcal.NoiseAware,
    AUTO: lwcal.Auto,
    AUDITED: lwcal.Audited,
    CLEAN_PLATT: lwcal.Platt,
}
"""Methods of the suite. Audited knows the truth of a few rows, and the last one that of all."""


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
    """Log loss of every method on the true test labels, and the verdicts on the noisy ones."""
    checked = check_labels(rows)
    losses = {}
    for name, make in METHODS.items():
        labels = rows.y_clean if name == CLEAN_PLATT else rows.y_noisy
        known = {"y_audited": checked} if name == AUDITED else {}
        fitted = make().fit(rows.calibration, labels, **known)
        losses[name] = lwcal.metrics.nll(rows.y_test, fitted.predict(rows.test))
    columns = rows.calibration, rows.y_noisy
    audited = lwcal.diagnose(*columns, y_audited=checked, methods=())
    by_checks = audited.readings.noise_holds
    return {
        "n_test": len(rows.y_test),
        "verdict": lwcal.diagnose(*columns, methods=()).recommendation.action,
        "audit_verdict": audited.recommendation.action,
        "likely_gain": None if by_checks is None else by_checks.likely_gain,
        "nll": losses,
    }


def check_labels(rows: ScoredRows) -> npt.NDArray[np.float64]:
    """True labels of a few rows, chosen at random; NaN elsewhere."""
    chosen = np.random.default_rng(CHECKS).permutation(len(rows.y_clean))[:CHECKS]
    checked = np.full(len(rows.y_clean), np.nan)
    checked[chosen] = np.asarray(rows.y_clean)[chosen]
    return checked
