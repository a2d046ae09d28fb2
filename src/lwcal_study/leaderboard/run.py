"""Run one cell of the leaderboard: one model's scores, every contender."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from statistics import fmean
from typing import Any

from threadpoolctl import threadpool_limits

import lwcal
from lwcal_study import cells as paper_cells
from lwcal_study.cells import Cell, Scored
from lwcal_study.contenders import all_contenders, attempts
from lwcal_study.leaderboard.grid import AnyCell, coordinates
from lwcal_study.package import installed_versions
from lwcal_study.real import cells as real_cells
from lwcal_study.real.cells import RealCell
from lwcal_study.real.noise import NATURAL
from lwcal_study.real.tasks import PACKAGES as DATA
from lwcal_study.scores import score

PACKAGES = ("lwcal", "numpy", "scipy", "scikit-learn", "pandas", "betacal", "venn-abers", *DATA)
"""Everything that a result depends on."""
METRICS = {"ece": "ece", "brier": "brier", "nll": "nll_strict", "auc": "auc"}
"""What the leaderboard calls a metric, and what the study does: its NLL clips at 1e-6."""

PLANS_OF_NATURAL = 3
"""Naturally noisy tasks have nine cells, the others with noise twenty-four or more."""


def run_contest(cell: AnyCell) -> dict[str, Any]:
    """Fit and measure every contender on one cell, in types that JSON knows."""
    with threadpool_limits(1):  # the last bit of a matrix product depends on the threads
        rows = fit_and_score(cell)
        return {
            "cell": coordinates(cell),
            "n_calibration": len(rows.calibration),
            "results": measured(rows, plans_of(cell)),
        }


def fit_and_score(cell: AnyCell) -> Scored:
    """Train the cell's model and score its calibration and test rows."""
    if isinstance(cell, Cell):
        return paper_cells.fit_and_score(cell)
    return real_cells.fit_and_score(cell)


def plans_of(cell: AnyCell) -> int:
    """How many audits are planned on a cell, so that every task has at least twenty.

    >>> plans_of(RealCell("sm_anes96_vote", "Random Forest", "natural", 0))
    3
    """
    natural = isinstance(cell, RealCell) and cell.noise == NATURAL
    return PLANS_OF_NATURAL if natural else 1


def measured(rows: Scored, plans: int = 1) -> list[dict[str, Any]]:
    """Name, failure and metrics of every contender, means where it was tried more than once."""
    results = []
    for contender in all_contenders().values():
        tried = attempts(contender, rows, plans)
        scored = [score(rows.y_test, attempt.probability) for attempt in tried]
        results.append(
            {
                "contender": contender.name,
                "oracle": contender.trusted,
                "failure": next((one.failure for one in tried if one.failure), ""),
                **{
                    name: fmean(found[metric] for found in scored)
                    for name, metric in METRICS.items()
                },
            }
        )
    return results


def fingerprint() -> str:
    """Short name of the versions, the contenders and the calibrators' code."""
    settings = {
        "versions": installed_versions(dict.fromkeys(PACKAGES)),
        "contenders": sorted(all_contenders()),
        "code": _code_digest(),
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


def _code_digest() -> str:
    """Hash our own code: a changed calibrator is a new contender, whatever its version says."""
    folder = Path(str(lwcal.__file__)).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if not {"leaderboard", "cli", "plots"} & set(path.relative_to(folder).parts):
            digest.update(path.read_bytes())
    return digest.hexdigest()
