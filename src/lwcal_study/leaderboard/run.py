"""Run one cell of the leaderboard: evaluate every method on the scores of one model."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from threadpoolctl import threadpool_limits

from lwcal_study.evaluation import evaluate
from lwcal_study.leaderboard.grid import AnyCell, coordinates
from lwcal_study.leaderboard.methods import BUDGETS, Method, all_methods, attempts, verdict
from lwcal_study.paper import cells as paper_cells
from lwcal_study.paper.cells import Cell
from lwcal_study.real import cells as real_cells
from lwcal_study.real.cells import RealCell
from lwcal_study.real.noise import NATURAL
from lwcal_study.scored_rows import ScoredRows

METRICS = {"ece": "ece", "brier": "brier", "nll": "nll_strict", "auc": "auc"}
"""Metrics of the leaderboard, and their names in ``evaluation.py``. Log loss clips at 1e-6."""

FEWEST_CHECKED = min(BUDGETS)
"""Checked labels behind the verdicts that are judged: as many as the verdict itself asks for."""
PLANS_OF_NATURAL = 3
"""Tasks with natural noise have nine cells, noisy tasks of other suites 24 or more."""


def run_cell(cell: AnyCell) -> dict[str, Any]:
    """Fit and evaluate every method on one cell. The result has JSON types."""
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        rows = fit_and_score(cell)
        return {
            "cell": coordinates(cell),
            "n_calibration": len(rows.calibration),
            "results": evaluate_methods(rows, plans_of(cell)),
        }


def fit_and_score(cell: AnyCell) -> ScoredRows:
    """Train the model of a cell, and score its calibration and test rows."""
    if isinstance(cell, Cell):
        return paper_cells.fit_and_score(cell)
    return real_cells.fit_and_score(cell)


def plans_of(cell: AnyCell) -> int:
    """Number of audit plans on a cell, chosen so that every task has at least twenty.

    >>> plans_of(RealCell("sm_anes96_vote", "Random Forest", "natural", 0))
    3
    """
    natural = isinstance(cell, RealCell) and cell.noise == NATURAL
    return PLANS_OF_NATURAL if natural else 1


def evaluate_methods(rows: ScoredRows, plans: int = 1) -> list[dict[str, Any]]:
    """Name, failure and metrics of every method; metrics are means over its audit plans."""
    return [_evaluate(method, rows, plans) for method in all_methods().values()]


def _evaluate(method: Method, rows: ScoredRows, plans: int) -> dict[str, Any]:
    tried = attempts(method, rows, plans)
    found = [evaluate(rows.y_test, attempt.probability) for attempt in tried]
    return {
        "contender": method.name,  # the name of this column in all stored results
        "oracle": method.sees_clean_labels,
        "failure": next((one.failure for one in tried if one.failure), ""),
        "verdict": verdict(method, rows) if method.checked == FEWEST_CHECKED else "",
        **{name: fmean(one[metric] for one in found) for name, metric in METRICS.items()},
    }
