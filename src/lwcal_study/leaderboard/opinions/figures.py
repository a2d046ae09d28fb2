"""The picture of several opinions: gap closed against hours of work."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from lwcal_study.files import replacing
from lwcal_study.leaderboard.opinions.hours import (
    EXPERT,
    EXPERT_MINUTES,
    REVIEWER_MINUTES,
    SECOND,
)

PICTURE = "hours.svg"
STYLES = {SECOND: ("#0072b2", "o", REVIEWER_MINUTES), EXPERT: ("#d55e00", "s", EXPERT_MINUTES)}


def draw(lines: pd.DataFrame, folder: Path) -> Path:
    """Draw the picture as SVG. The same results give the same bytes."""
    path = folder / PICTURE
    with replacing(path) as temporary, rc_context({"svg.hashsalt": PICTURE}):
        picture(lines).savefig(temporary, format="svg", metadata={"Date": None})
    return path


def picture(lines: pd.DataFrame) -> Figure:
    """One line for second opinions and one for an expert, with the number of labels."""
    figure = Figure(figsize=(6.4, 4.0))
    figure.set_layout_engine("constrained")
    ax = figure.subplots()
    for who, (colour, marker, minutes) in STYLES.items():
        of_one = lines[lines["asked"] == who]
        label = f"{who}, {minutes:g} min a label"
        ax.plot(of_one["hours"], of_one["gap closed"], color=colour, marker=marker, label=label)
        for hours, closed, labels in of_one[["hours", "gap closed", "labels"]].to_numpy():
            ax.annotate(
                f"{labels:,.0f}",
                (hours, closed),
                (4, -10),
                textcoords="offset points",
                fontsize="small",
                color=colour,
            )
    ax.axhline(1.0, color="0.6", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlabel("hours of work beyond one label a row (log scale; figures: labels)")
    ax.set_ylabel("share of the gap closed")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    return figure
