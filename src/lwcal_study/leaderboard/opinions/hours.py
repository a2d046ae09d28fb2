"""What labels cost in hours, and what they bring."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lwcal_study.leaderboard.classes.losses import by_cell
from lwcal_study.leaderboard.opinions.losses import gap_closed
from lwcal_study.leaderboard.opinions.methods import BUDGETS, SOME, TWICE, audited, reviewed
from lwcal_study.leaderboard.opinions.ways import Asked

REVIEWER_MINUTES, EXPERT_MINUTES = 1.0, 5.0
"""Assumed minutes for one label of a reviewer, and for one that an expert checks."""
SECOND, EXPERT = "second opinion", "expert"


def work(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels, hours and share of the gap closed, for second opinions and for an expert.

    Parameters
    ----------
    frame : DataFrame
        Results with two classes and independent errors.
    """
    shares = gap_closed(by_cell(frame, "nll"))
    labels = by_cell(frame, "extra").mean()
    lines = [
        *((SECOND, reviewed(Asked(rows)).name, REVIEWER_MINUTES) for rows in SOME),
        (SECOND, reviewed(TWICE).name, REVIEWER_MINUTES),
        *((EXPERT, audited(checked).name, EXPERT_MINUTES) for checked in BUDGETS),
    ]
    return pd.DataFrame(
        {
            "asked": [who for who, _, _ in lines],
            "labels": [labels[name] for _, name, _ in lines],
            "hours": [labels[name] * minutes / 60 for _, name, minutes in lines],
            "gap closed": [shares[name] for _, name, _ in lines],
        },
        index=[name for _, name, _ in lines],
    )


def opinions_worth(lines: pd.DataFrame, checked: str) -> float:
    """Second opinions that close as much of the gap as one label that an expert checks.

    Between measured numbers of opinions it is interpolated; NaN if all of them close less.

    >>> lines = pd.DataFrame({"asked": [SECOND, SECOND, EXPERT], "labels": [50.0, 150.0, 50.0],
    ...                       "gap closed": [0.2, 0.4, 0.3]}, index=["a", "b", "c"])
    >>> round(opinions_worth(lines, "c"), 6)
    2.0
    """
    second = lines[lines["asked"] == SECOND]
    closed = np.maximum.accumulate([0.0, *second["gap closed"]])
    wanted = lines.loc[checked, "gap closed"]
    if not wanted <= closed[-1]:
        return float("nan")
    place = int(np.searchsorted(closed, wanted))
    numbers = np.array([0.0, *second["labels"]])
    if place == 0:
        return 0.0
    share = (wanted - closed[place - 1]) / (closed[place] - closed[place - 1])
    needed = numbers[place - 1] + share * (numbers[place] - numbers[place - 1])
    return float(needed / lines.loc[checked, "labels"])
