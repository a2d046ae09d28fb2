"""What the calibrators of many classes should reach, and whether a run reaches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pandas as pd

from lwcal_study.leaderboard.classes.losses import (
    by_cell,
    gap_closed,
    to_best_scaling,
    to_one_against_rest,
    to_raw,
)
from lwcal_study.leaderboard.classes.methods import AUTO, NOISE_AWARE
from lwcal_study.leaderboard.grid import CLASS_SUITES


class Aim(NamedTuple):
    """A quantity of one method, and its limit."""

    suite: str
    method: str
    what: str
    limit: float
    measure: Callable[[pd.DataFrame, str], float]
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Whether a value is within the limit. A missing value is not.

        >>> Aim("classes", "Auto", "share", 0.5, gap_share, at_least=True).met(0.6)
        True
        """
        return value >= self.limit if self.at_least else value <= self.limit

    @property
    def stated(self) -> str:
        """The limit in words."""
        return f"{'at least' if self.at_least else 'at most'} {self.limit:g}"


def gap_share(frame: pd.DataFrame, method: str) -> float:
    """Share of the gap that is closed."""
    return float(gap_closed(by_cell(frame, "nll"))[method])


def mean_to_best(frame: pd.DataFrame, method: str) -> float:
    """Mean ratio of log loss to the best scaling on clean labels."""
    return float(to_best_scaling(by_cell(frame, "nll"))[method].mean())


def worst_to_raw(frame: pd.DataFrame, method: str) -> float:
    """Largest ratio of log loss to the raw score."""
    return float(to_raw(by_cell(frame, "nll"))[method].max())


def error_to_one_against_rest(frame: pd.DataFrame, method: str) -> float:
    """Ratio of the mean top-label ECE to that of Auto for each class against the rest."""
    return float(to_one_against_rest(by_cell(frame, "top_label_ece"))[method])


GAP = "share of the gap closed"
SHARES = {NOISE_AWARE: 0.65, AUTO: 0.55}
"""The bound of Auto costs something where its model is right."""


def _aims() -> Iterator[Aim]:
    for method, share in SHARES.items():
        yield Aim("classes", method, GAP, share, gap_share, at_least=True)
        yield Aim(
            "classes",
            method,
            "top-label ECE / that of Auto, one against the rest",
            0.6,
            error_to_one_against_rest,
        )
        yield Aim(
            "classes-clean",
            method,
            "log loss / best scaling on clean labels, mean",
            1.01,
            mean_to_best,
        )
        yield Aim("classes-clean", method, "log loss / raw, worst cell", 1.15, worst_to_raw)
        yield Aim("classes-natural", method, GAP, 0.8, gap_share, at_least=True)


AIMS = tuple(sorted(_aims(), key=lambda aim: list(CLASS_SUITES).index(aim.suite)))
"""By suite."""


def measured_aims(frame: pd.DataFrame) -> Iterator[tuple[Aim, float]]:
    """Measure every aim whose suite was run."""
    for aim in AIMS:
        cells = frame[frame["suite"] == aim.suite]
        if len(cells):
            yield aim, aim.measure(cells, aim.method)


def aim_rows(frame: pd.DataFrame) -> list[list[str]]:
    """One row per aim: labels, method, quantity, limit, measured value and verdict."""
    return [
        [
            CLASS_SUITES[aim.suite].title.partition(", ")[2],
            aim.method,
            aim.what,
            aim.stated,
            f"{value:.3f}",
            "met" if aim.met(value) else "**missed**",
        ]
        for aim, value in measured_aims(frame)
    ]
