"""Reduce the scores of several opinions to shares of a gap, coverage and ratios."""

from __future__ import annotations

import pandas as pd

from lwcal_study.leaderboard.bootstrap import Ratios, cluster_ratios
from lwcal_study.leaderboard.classes.losses import by_cell
from lwcal_study.leaderboard.explanations import LEAST_TASKS
from lwcal_study.leaderboard.opinions.methods import AUTO, CLEAN

TWO, MANY = "two classes", "5 to 10 classes"


def cells_of(frame: pd.DataFrame, kind: str, classes: str | None = None) -> pd.DataFrame:
    """Results with reviewers of one kind, and with two classes or with more."""
    chosen = frame[frame["kind"] == kind]
    if classes is None:
        return chosen
    return chosen[(chosen["n_classes"] == 2) == (classes == TWO)]


def gap_closed(losses: pd.DataFrame) -> pd.Series:
    """Share of the gap from Auto on one label to scaling on clean labels, for each method.

    A ratio of sums over cells. It is missing if clean labels do not help: then there is no gap.

    >>> losses = pd.DataFrame({AUTO.name: [1.0, 2.0], "mine": [0.9, 1.4], CLEAN.name: [0.8, 1.2]})
    >>> gap_closed(losses).round(2).tolist()
    [0.0, 0.7, 1.0]
    """
    saved = _saved(losses).sum()
    return saved / saved[CLEAN.name] if saved[CLEAN.name] > 0 else saved * float("nan")


def gap_intervals(losses: pd.DataFrame) -> Ratios | None:
    """The same with intervals, with tasks as clusters. None if there are too few tasks."""
    of_tasks = _saved(losses).groupby(level="task", sort=False).sum()
    if len(of_tasks) < LEAST_TASKS or of_tasks[CLEAN.name].sum() <= 0:
        return None
    return cluster_ratios(of_tasks, list(of_tasks.columns).index(CLEAN.name))


def _saved(losses: pd.DataFrame) -> pd.DataFrame:
    return losses.rsub(losses[AUTO.name], axis=0)


def by_task(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean over the cells of each task: one row per task, one column per method."""
    return by_cell(frame, metric).groupby(level="task", sort=False).mean()


def share_of_rows(frame: pd.DataFrame, method: str, metric: str) -> float:
    """Mean of a share over the cells of one method. NaN if it was not measured."""
    return float(frame.loc[frame["contender"] == method, metric].astype("float64").mean())
