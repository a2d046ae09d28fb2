"""The tables of the leaderboard. Every task has the same weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from lwcal_study.leaderboard.bootstrap import cluster_ratios
from lwcal_study.leaderboard.grid import SUITES
from lwcal_study.leaderboard.methods import RAW

CELL = ["suite", "task", "learner", "kind", "strength", "seed"]
SIZES = {"below 100": 100, "100 to 400": 400, "400 to 2,000": 2000, "above 2,000": np.inf}
"""Upper limits of the numbers of calibration rows."""
REAL_SUITES = ("real", "real-clean", "natural")


class Board(NamedTuple):
    """Cells that are ranked together."""

    suite: str
    part: str
    frame: pd.DataFrame

    @property
    def name(self) -> str:
        """File name."""
        return self.suite if self.part == "judged" else f"{self.suite}-{self.part}"

    @property
    def title(self) -> str:
        """Heading."""
        title = SUITES[self.suite].title
        return title if self.part == "judged" else f"{title} ({self.part} tasks)"


def boards(frame: pd.DataFrame) -> Iterator[Board]:
    """Judged tasks of every suite, then development tasks, on which methods may be tuned."""
    for part in ("judged", "development"):
        for suite in SUITES:
            chosen = frame[(frame["suite"] == suite) & (frame["part"] == part)]
            if len(chosen):
                yield Board(suite, part, chosen)


def task_means(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean over the cells of each task: one row per task, one column per method."""
    values = frame.astype({metric: "float64"})
    return values.pivot_table(index="task", columns="contender", values=metric, sort=False)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per method, the lowest log loss first, oracles last."""
    losses = task_means(frame, "nll")
    ratios = cluster_ratios(losses, list(losses.columns).index(RAW))
    relative = losses.div(losses[RAW], axis=0)
    auc = task_means(frame, "auc")
    table = pd.DataFrame(
        {
            "ece": task_means(frame, "ece").mean(),
            "brier": task_means(frame, "brier").mean(),
            "nll": losses.mean(),
            "auc_change": auc.sub(auc[RAW], axis=0).mean(),
            "rank": mean_ranks(frame),
            **{name: pd.Series(v, losses.columns) for name, v in ratios._asdict().items()},
            "worst_ratio": relative.max(),
            "worst_task": relative.idxmax(),
            "failures": frame.groupby("contender")["failure"].agg(lambda f: int((f != "").sum())),
            "oracle": frame.groupby("contender")["oracle"].first(),
        }
    ).rename(columns={"estimate": "nll_ratio"})
    return table.sort_values(["oracle", "nll"]).rename_axis("contender")


def mean_ranks(frame: pd.DataFrame) -> pd.Series:
    """Mean rank by log loss within each cell, without oracles."""
    ranked = frame[~frame["oracle"]].copy()
    ranked["rank"] = ranked.groupby(CELL)["nll"].rank()
    return task_means(ranked, "rank").mean()


def ratios_by(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Relative log loss, one column per value of a coordinate."""
    ratios = {}
    for value in frame[column].unique():
        means = task_means(frame[frame[column] == value], "nll").mean()
        ratios[value] = means / means[RAW]
    return pd.DataFrame(ratios).rename_axis("contender")


def breakdowns(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Relative log loss on judged real tasks, by noise, learner and number of rows."""
    judged = frame[frame["suite"].isin(REAL_SUITES) & (frame["part"] == "judged")]
    noisy = judged[judged["suite"] != "real-clean"].assign(size=_size_classes)
    found = {
        "by_noise": ratios_by(judged, "kind"),
        "by_learner": ratios_by(noisy, "learner"),
        "by_size": ratios_by(noisy, "size"),
    }
    found["by_size"] = found["by_size"][[s for s in SIZES if s in found["by_size"]]]
    return {name: table for name, table in found.items() if not table.empty}


def _size_classes(frame: pd.DataFrame) -> pd.Series:
    ends = [0, *SIZES.values()]
    return pd.cut(frame["n_calibration"], ends, right=False, labels=list(SIZES)).astype(str)


def worst_places(frame: pd.DataFrame) -> pd.DataFrame:
    """The task and kind of noise with the highest relative log loss of each method.

    Only judged tasks count. ``harmed`` is the share of all tasks and kinds of noise on which
    the method has a higher log loss than the raw score.
    """
    judged = frame[frame["part"] == "judged"].astype({"nll": "float64"})
    place = ["suite", "task", "kind"]
    losses = judged.pivot_table(index=place, columns="contender", values="nll", sort=False)
    relative = losses.div(losses[RAW], axis=0)
    rows = {}
    for name in [c for c in losses.columns if c != RAW]:
        where = relative[name].idxmax()
        rows[name] = {
            **dict(zip(place, where, strict=True)),
            "nll_raw": losses.loc[where, RAW],
            "nll": losses.loc[where, name],
            "nll_ratio": relative.loc[where, name],
            "harmed": float((relative[name] > 1).mean()),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("contender")


def failures(frame: pd.DataFrame) -> pd.DataFrame:
    """Number of failures of each method, by reason."""
    failed = frame[frame["failure"] != ""]
    counted = failed.groupby(["contender", "failure"], sort=True).size()
    return counted.rename("cells").reset_index()
