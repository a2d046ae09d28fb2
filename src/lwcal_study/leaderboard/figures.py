"""The figure of the leaderboard: relative log loss of every method on the judged tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from lwcal_study.files import replacing
from lwcal_study.leaderboard.methods import RAW, own_calibrators
from lwcal_study.leaderboard.rankings import Board

OWN, OTHER, ORACLE = "#0072b2", "0.45", "#009e73"
LOWEST, HIGHEST = 0.5, 2.0
"""Ratios outside of this range are drawn at its edge, with their value."""
TICKS = (0.5, 0.6, 0.8, 1.0, 1.25, 1.6, 2.0)


def draw(summaries: list[tuple[Board, pd.DataFrame]], folder: Path) -> list[Path]:
    """Draw the figure as PNG and SVG."""
    figure = picture([pair for pair in summaries if pair[0].part == "judged"])
    written = []
    for suffix in ("png", "svg"):
        path = folder / f"leaderboard.{suffix}"
        with replacing(path) as temporary:
            # without dates and random names, the same results give the same bytes
            metadata = {"Date": None} if suffix == "svg" else {"Software": None}
            with rc_context({"svg.hashsalt": path.name}):
                figure.savefig(temporary, dpi=160, metadata=metadata)
        written.append(path)
    return written


def picture(summaries: list[tuple[Board, pd.DataFrame]]) -> Figure:
    """One panel per board and one line per method, the best on top."""
    order = _order(summaries)
    figure = Figure(figsize=(3.0 * len(summaries) + 2.2, 0.3 * len(order) + 1.7))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, len(summaries), sharey=True, squeeze=False)[0]
    for ax, (board, table) in zip(axes, summaries, strict=True):
        _panel(ax, table.loc[order], board.title.replace(", ", ",\n"))
    axes[0].set_yticks(range(len(order)), order)
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    figure.supxlabel(
        "mean log loss divided by that of the raw score, with 95% intervals over tasks "
        "(left of the line is better; blue: lwcal, grey: others, green: fitted to clean labels)",
        fontsize="small",
    )
    return figure


def _order(summaries: list[tuple[Board, pd.DataFrame]]) -> list[str]:
    """Methods by their mean ratio over the boards, oracles last."""
    ratios = pd.concat([table["nll_ratio"] for _, table in summaries], axis=1).mean(axis=1)
    oracle = summaries[0][1]["oracle"]
    ordered = pd.DataFrame({"oracle": oracle, "ratio": ratios}).sort_values(["oracle", "ratio"])
    return [str(name) for name in ordered.index]


def _panel(ax: Any, table: pd.DataFrame, title: str) -> None:
    own = own_calibrators()
    for place, (name, row) in enumerate(table.iterrows()):
        colour = ORACLE if row["oracle"] else OWN if name in own and name != RAW else OTHER
        _interval(ax, place, row, colour)
    ax.axvline(1.0, color="0.2", linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_xlim(LOWEST * 0.97, HIGHEST * 1.03)
    ax.xaxis.set_major_locator(FixedLocator(TICKS))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(axis="y", color="0.92")
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_title(title, fontsize="medium")


def _interval(ax: Any, place: int, row: pd.Series, colour: str) -> None:
    ratio = row["nll_ratio"]
    if ratio > HIGHEST:
        ax.plot(HIGHEST, place, ">", color=colour, markersize=6)
        ax.annotate(
            f"{ratio:.1f}",
            (HIGHEST, place),
            (-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize="small",
            color=colour,
        )
        return
    ends = max(row["lower"], LOWEST), min(row["upper"], HIGHEST)
    ax.plot(ends, (place, place), color=colour, linewidth=1.6, solid_capstyle="butt")
    face = "white" if row["oracle"] else colour
    ax.plot(max(ratio, LOWEST), place, "o", color=colour, markerfacecolor=face, markersize=5.5)
