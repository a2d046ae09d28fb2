"""Whether adapting harms when base rates rise and fall: a part of :mod:`benchmarks.base_rates`."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.base_rate_tasks import (
    JUDGED_SEED,
    NOISES,
    ROWS,
    TASKS,
    flipped,
    log_loss,
    with_checked,
)
from benchmarks.report import table as pipe_table
from lwcal.shift import adapt

PAIRS = ((0.01, 0.1), (0.03, 0.1), (0.1, 0.3), (0.1, 0.02), (0.3, 0.1))
"""Base rates of the fit and of deployment."""
PAIR_TEST_ROWS = 20_000
METHODS = ("Platt", "NoiseAware", "Audited")
HARMED = 1.02
"""Log loss relative to that of the calibrator before, from which on adapting did harm."""


class Pair(NamedTuple):
    """What happened to one calibrator."""

    method: str
    pair: tuple[float, float]
    verdict: str
    partly: bool
    ratio: float
    covered: float


def measure_pair(
    task: str, noise: tuple[float, float], pair: tuple[float, float], seed: int
) -> list[Pair]:
    """Adapt every calibrator of one judged task."""
    with threadpool_limits(1):
        draw = TASKS["judged"][task]()
        rng = np.random.default_rng(seed + JUDGED_SEED)
        scores, truth = draw(rng, ROWS, pair[0])
        labels = flipped(rng, truth, noise)
        new, _ = draw(rng, ROWS, pair[1])
        test, outcome = draw(rng, PAIR_TEST_ROWS, pair[1])
        checked = with_checked(rng, scores, labels, truth)
        fits = (
            lwcal.Platt().fit(scores, labels),
            lwcal.NoiseAware().fit(scores, labels),
            lwcal.Audited().fit(scores, labels, y_audited=checked),
        )
        return [
            _adapted(name, pair, fitted, new, test, outcome)
            for name, fitted in zip(METHODS, fits, strict=True)
        ]


def _adapted(
    name: str,
    pair: tuple[float, float],
    fitted: lwcal.calibrators.Calibrator,
    new: np.ndarray,
    test: np.ndarray,
    outcome: np.ndarray,
) -> Pair:
    found = adapt(fitted, new)
    ratio, covered = float("nan"), float("nan")
    if found.base_rate is not None:
        covered = float(found.base_rate.low <= pair[1] <= found.base_rate.high)
    if found.verdict == "adapted":
        before = log_loss(fitted.predict(test), outcome)
        ratio = log_loss(found.calibrator.predict(test), outcome) / before
    partly = found.verdict == "adapted" and found.used != found.base_rate.value
    return Pair(name, pair, found.verdict, partly, ratio, covered)


def section(*, quick: bool) -> tuple[str, int]:
    """The table, and the number of fits."""
    tasks = list(TASKS["judged"])[: 1 if quick else None]
    cells = list(product(tasks, NOISES, PAIRS, range(1 if quick else 3)))
    found = Parallel(n_jobs=-1)(delayed(measure_pair)(*cell) for cell in cells)
    return shown(pd.DataFrame([one for many in found for one in many])), len(cells)


def shown(frame: pd.DataFrame) -> str:
    """A line for each method and pair of base rates."""
    header = [
        "",
        "base rate",
        "adapted",
        "of these in part",
        "refused",
        "log loss, of that before",
        "worst",
        "harmed",
        "in the interval",
    ]
    body = []
    for method, pair in product(METHODS, PAIRS):
        rows = frame[(frame.method == method) & (frame.pair == pair)]
        adapted = rows[rows.verdict == "adapted"]
        refused = ~rows.verdict.isin(["adapted", "no change"])
        body.append(
            [
                method,
                f"{pair[0]:.0%} to {pair[1]:.0%}",
                f"{len(adapted) / len(rows):.0%}",
                f"{adapted.partly.mean():.0%}" if len(adapted) else "",
                f"{refused.mean():.0%}",
                f"{adapted.ratio.mean():.2f}" if len(adapted) else "",
                f"{adapted.ratio.max():.2f}" if len(adapted) else "",
                f"{(adapted.ratio > HARMED).mean():.0%}" if len(adapted) else "",
                f"{rows.covered.mean():.0%}",
            ]
        )
    return pipe_table(header, body)
