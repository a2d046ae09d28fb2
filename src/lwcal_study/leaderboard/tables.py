"""The leaderboard's tables, from the scores of the cells. Every task counts the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from lwcal_study.contenders import RAW
from lwcal_study.leaderboard.bootstrap import cluster_ratios
from lwcal_study.leaderboard.grid import SUITES

CELL = ["suite", "task", "learner", "kind", "strength", "seed"]
SIZES = {"below 100": 100, "100 to 400": 400, "400 to 2,000": 2000, "above 2,000": np.inf}
"""Classes of calibration rows, each with its upper end."""
REAL_SUITES = ("real", "real-clean", "natural")


class Board(NamedTuple):
    """The cells that are ranked together."""

    suite: str
    part: str
    frame: pd.DataFrame

    @property
    def name(self) -> str:
        """Name for files."""
        return self.suite if self.part == "judged" else f"{self.suite}-{self.part}"

    @property
    def title(self) -> str:
        """Heading."""
        title = SUITES[self.suite].title
        return title if self.part == "judged" else f"{title} ({self.part} tasks)"


def boards(frame: pd.DataFrame) -> Iterator[Board]:
    """Judged tasks of every suite, then the tasks that methods may have been tuned on."""
    for part in ("judged", "development"):
        for suite in SUITES:
            chosen = frame[(frame["suite"] == suite) & (frame["part"] == part)]
            if len(chosen):
                yield Board(suite, part, chosen)


def task_means(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row a task, one column a contender: the mean over the task's cells."""
    values = frame.astype({metric: "float64"})
    return values.pivot_table(index="task", columns="contender", values=metric, sort=False)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a contender, the lowest NLL first, oracles last."""
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
    """Mean place by NLL within each cell; oracles do not take part."""
    taking_part = frame[~frame["oracle"]].copy()
    taking_part["rank"] = taking_part.groupby(CELL)["nll"].rank()
    return task_means(taking_part, "rank").mean()


def ratios_by(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Ratio of the mean NLL to the raw score's, one column for each value of a coordinate."""
    ratios = {}
    for value in frame[column].unique():
        means = task_means(frame[frame[column] == value], "nll").mean()
        ratios[value] = means / means[RAW]
    return pd.DataFrame(ratios).rename_axis("contender")


def breakdowns(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Ratios on judged real tasks by kind of noise, and on the noisy ones by the rest."""
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
    """Where each contender does worst: the task and kind of noise, on judged tasks.

    ``harmed`` is the share of all such places where its NLL is above the raw score's.
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
    """How often each contender failed, and why."""
    failed = frame[frame["failure"] != ""]
    counted = failed.groupby(["contender", "failure"], sort=True).size()
    return counted.rename("cells").reset_index()
