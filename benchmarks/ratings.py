"""See why a fit to ratings of people loses: ``python -m benchmarks.ratings``.

On the tasks with ratings of ``make opinions``, it measures how far the average of each map is from
the shares of the trusted labels on the test rows, and what its log-odds would have to be multiplied
by to fit these best. Rewrites a table of docs/benchmarks/several-opinions.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.near_copies import PAGE
from benchmarks.report import table as pipe_table
from lwcal.metrics import class_nll
from lwcal_study.environment import machine
from lwcal_study.leaderboard.opinions import ways
from lwcal_study.leaderboard.opinions.methods import THRICE
from lwcal_study.opinions.cells import RATERS, OpinionCell, fit_and_score, rated_tasks
from lwcal_study.real.cells import LEARNERS

MARKS = "<!-- ratings -->", "<!-- end of ratings -->"
SPLITS = 3
LEAST = 1e-6
WAYS = {
    "`Reviewed`": ways.reviewed,
    "majority vote and scaling": ways.voted,
    "scaling on clean labels": ways.clean,
}


def slope(truth: Any, predicted: Any) -> float:
    """What the log-odds of a map should be multiplied by: below 1, it is too steep.

    >>> slope(np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.1, 0.9]] * 2)) < 0.1
    True
    """
    logs, classes = np.log(np.maximum(predicted, LEAST)), range(predicted.shape[1])

    def loss(factor: float) -> float:
        return float(class_nll(truth, softmax(factor * logs, axis=1), classes=classes))

    return float(minimize_scalar(loss, bounds=(0.0, 5.0), method="bounded").x)


def distance(truth: Any, predicted: Any) -> float:
    """Share of the rows that the average prediction puts into a wrong class.

    >>> distance(np.array([0, 1]), np.array([[0.8, 0.2], [0.6, 0.4]]))
    0.2
    """
    shares = np.bincount(truth, minlength=predicted.shape[1]) / len(truth)
    return round(float(np.abs(predicted.mean(axis=0) - shares).sum() / 2.0), 6)


def measured(task: str, learner: str, seed: int) -> list[float]:
    """Distance and slope of each way, with three labels a row."""
    rows = fit_and_score(OpinionCell(task, learner, RATERS, seed))
    maps = (way(rows, THRICE).calibrator for way in WAYS.values())
    predicted = [ways.of_all_classes(one.predict(ways.given(rows.test))) for one in maps]
    return [measure(rows.y_test, one) for measure in (distance, slope) for one in predicted]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    body = []
    with threadpool_limits(1), lwcal.thread_limit(1):
        for task in rated_tasks():
            cells = product([task.name], LEARNERS, range(SPLITS))
            found = np.mean([measured(*cell) for cell in cells], axis=0)
            body.append([task.name, *(f"{one:.2f}" for one in found.tolist())])
            print(*body[-1], sep=" | ", flush=True)
    today = datetime.now(UTC).date().isoformat()
    note = (
        f"Means over learners and splits, on {today}, {machine()}; by "
        "`python -m benchmarks.ratings`.\n"
    )
    header = ["task", *(f"{measure}: {way}" for measure in ("distance", "slope") for way in WAYS)]
    fill_between(options.page, *MARKS, f"{pipe_table(header, body)}\n{note}")


if __name__ == "__main__":
    main()
