"""Reduce the scores of many classes to shares of a gap and to ratios."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from lwcal_study.leaderboard.bootstrap import Ratios, cluster_ratios
from lwcal_study.leaderboard.classes.methods import CLEAN_SCALINGS, ONE_AGAINST_REST, ORACLE
from lwcal_study.leaderboard.explanations import LEAST_TASKS
from lwcal_study.leaderboard.methods import RAW
from lwcal_study.leaderboard.rankings import CELL


def by_cell(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per cell, one column per method, both in the order of the run."""
    values = frame.astype({metric: "float64"})
    return values.pivot_table(index=CELL, columns="contender", values=metric, sort=False)


def gap_closed(losses: pd.DataFrame) -> pd.Series:
    """Share of the gap from the raw score to matrix scaling on clean labels, for each method.

    A ratio of sums over cells. It is missing if clean labels do not help: then there is no gap.

    >>> losses = pd.DataFrame({RAW: [1.0, 2.0], "mine": [0.9, 1.4], ORACLE: [0.8, 1.2]})
    >>> gap_closed(losses).round(2).tolist()
    [0.0, 0.7, 1.0]
    """
    saved = _saved(losses).sum()
    return saved / saved[ORACLE] if saved[ORACLE] > 0 else saved * float("nan")


def gap_intervals(losses: pd.DataFrame) -> Ratios | None:
    """The same with intervals, with tasks as clusters. None if there are too few tasks."""
    of_tasks = _saved(losses).groupby(level="task", sort=False).sum()
    if len(of_tasks) < LEAST_TASKS or of_tasks[ORACLE].sum() <= 0:
        return None
    return cluster_ratios(of_tasks, list(of_tasks.columns).index(ORACLE))


def _saved(losses: pd.DataFrame) -> pd.DataFrame:
    return losses.rsub(losses[RAW], axis=0)


def gap_closed_by(losses: pd.DataFrame, coordinate: str) -> pd.DataFrame:
    """The same, one column per value of a coordinate."""
    groups = losses.groupby(level=coordinate, sort=False)
    return pd.DataFrame({value: gap_closed(cells) for value, cells in groups})


def gaps_of_tasks(losses: pd.DataFrame) -> pd.Series:
    """Mean over the cells of each task of the log loss that clean labels save."""
    return _saved(losses)[ORACLE].groupby(level="task", sort=False).mean()


def to_best_scaling(losses: pd.DataFrame) -> pd.DataFrame:
    """Ratio to the best of three scalings on clean labels, in each cell.

    The best is chosen after the fact, by the test rows. Nobody can choose so well.
    """
    return losses.div(best_scaling(losses), axis=0)


def best_scaling(losses: pd.DataFrame) -> pd.Series:
    """Lowest loss of the three scalings on clean labels, in each cell."""
    return losses[list(CLEAN_SCALINGS)].min(axis=1)


def to_raw(losses: pd.DataFrame) -> pd.DataFrame:
    """Ratio to the raw score, in each cell."""
    return losses.div(losses[RAW], axis=0)


def to_one_against_rest(errors: pd.DataFrame) -> pd.Series:
    """Ratio of the mean error over cells to that of Auto for each class against the rest."""
    means = errors.mean()
    return means / means[ONE_AGAINST_REST]


class Worst(NamedTuple):
    """The largest ratio of a method, and its cell."""

    ratio: float
    place: str


def worst(ratios: pd.Series) -> Worst:
    """Find the largest ratio and name its cell.

    >>> index = pd.MultiIndex.from_tuples([("classes", "a", "Stump", "uniform", "low", 0)])
    >>> worst(pd.Series([1.5], index))
    Worst(ratio=1.5, place='a, Stump, uniform low')
    """
    _, task, learner, kind, strength, _ = ratios.idxmax()
    noise = kind if kind in ("clean", "natural") else f"{kind} {strength}"
    return Worst(float(ratios.max()), f"{task}, {learner}, {noise}")
