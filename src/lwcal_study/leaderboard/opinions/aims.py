"""What several opinions should bring, and whether a run shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isnan
from typing import NamedTuple

import pandas as pd

from lwcal_study.leaderboard.classes.losses import by_cell
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions.losses import (
    MANY,
    TWO,
    by_task,
    cells_of,
    gap_closed,
    share_of_rows,
)
from lwcal_study.leaderboard.opinions.methods import (
    THRICE,
    TWICE,
    TWICE_SHOWN,
    consensus,
    reviewed,
    voted,
)
from lwcal_study.leaderboard.opinions.ways import Asked
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS


class Aim(NamedTuple):
    """A quantity, and its limits."""

    reviewers: str
    what: str
    measure: Callable[[pd.DataFrame], float]
    low: float = -inf
    high: float = inf

    def met(self, value: float) -> bool:
        """Whether a value is within the limits. A missing value is not.

        >>> Aim("hard-rows", "coverage", len, low=0.75).met(0.8)
        True
        """
        return self.low <= value <= self.high

    @property
    def stated(self) -> str:
        """The limits in words."""
        if self.high == inf:
            return f"at least {self.low:g}"
        return f"at most {self.high:g}" if self.low == -inf else f"{self.low:g} to {self.high:g}"


def _gap(classes: str, asked: Asked) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        losses = by_cell(cells_of(frame, OPINION_KINDS[INDEPENDENT][0], classes), "nll")
        return float(gap_closed(losses)[reviewed(asked).name]) if len(losses) else float("nan")

    return measure


def _share(kind: str, metric: str, asked: Asked) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        cells = cells_of(frame, OPINION_KINDS[kind][0])
        return share_of_rows(cells, reviewed(asked).name, metric)

    return measure


def _rivals(found: pd.DataFrame, asked: Asked) -> list[str]:
    return [method.name for method in (voted(asked), consensus(asked)) if method.name in found]


def _worst_of_tasks(kind: str, metric: str, asked: Asked) -> Callable[[pd.DataFrame], float]:
    """On the task where it is highest: the ratio of Reviewed to the best of its rivals."""

    def measure(frame: pd.DataFrame) -> float:
        found = by_task(cells_of(frame, OPINION_KINDS[kind][0]), metric)
        rivals = [voted(asked).name] if metric == "nll" else _rivals(found, asked)
        if found.empty:
            return float("nan")
        ratios = found[reviewed(asked).name] / found[rivals].min(axis=1)
        return float(ratios.max())

    return measure


def _least_more_right(kind: str, asked: Asked) -> Callable[[pd.DataFrame], float]:
    """On the task where it is lowest: accuracy of the consensus minus the best of its rivals."""

    def measure(frame: pd.DataFrame) -> float:
        found = by_task(cells_of(frame, OPINION_KINDS[kind][0]), "consensus_accuracy")
        if found.empty:
            return float("nan")
        best = found[_rivals(found, asked)].max(axis=1)
        return float((found[reviewed(asked).name] - best).min())

    return measure


def _aims() -> Iterator[Aim]:
    for asked, share in ((Asked(TWICE_SHOWN), 0.35), (TWICE, 0.65), (THRICE, 0.8)):
        what = f"gap closed, {TWO}, {asked.title}"
        yield Aim(INDEPENDENT, what, _gap(TWO, asked), low=share)
    yield Aim(INDEPENDENT, f"gap closed, {MANY}, every row twice", _gap(MANY, TWICE), low=0.85)
    for asked in (TWICE, THRICE):
        what = f"coverage of 90% intervals of error rates, {asked.title}"
        yield Aim(INDEPENDENT, what, _share(INDEPENDENT, "covered", asked), 0.86, 0.94)
    for asked in (TWICE, THRICE):
        what = f"coverage of 90% intervals of error rates, {asked.title}"
        yield Aim(HARD, what, _share(HARD, "covered", asked), low=0.75)
        what = f"data sets with a warning, {asked.title}"
        yield Aim(HARD, what, _share(HARD, "warned", asked), low=0.9)
    what = "log loss / majority vote and scaling, worst task, every row three times"
    yield Aim(RATERS, what, _worst_of_tasks(RATERS, "nll", THRICE), high=1.0)
    for kind in (INDEPENDENT, RATERS):
        for asked in (TWICE, THRICE):
            what = f"consensus accuracy - best rival, worst task, {asked.title}"
            yield Aim(kind, what, _least_more_right(kind, asked), low=0.0)
            what = f"consensus log loss / best rival, worst task, {asked.title}"
            yield Aim(kind, what, _worst_of_tasks(kind, "consensus_nll", asked), high=1.0)


AIMS = tuple(_aims())


def aim_rows(frame: pd.DataFrame) -> list[list[str]]:
    """One row per aim: reviewers, quantity, limits, measured value and verdict."""
    found = []
    for aim in AIMS:
        value = aim.measure(frame)
        verdict = "met" if aim.met(value) else "**missed**"
        measured = ["not measured", ""] if isnan(value) else [f"{value:.3f}", verdict]
        found.append([OPINION_KINDS[aim.reviewers][0], aim.what, aim.stated, *measured])
    return found
