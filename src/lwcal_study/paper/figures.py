"""The figures of the paper, as PDF and PNG. They are readable without colour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lwcal_study.evaluation import TITLES
from lwcal_study.files import replacing
from lwcal_study.paper import tables
from lwcal_study.paper.appendix.methods import BASELINES
from lwcal_study.paper.appendix.tables import REFERENCE
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.results import Results

Draw: TypeAlias = Callable[[Results], Figure]

COLOURS = ("0.25", "#d55e00", "#0072b2", "#009e73", "#cc79a7")
HATCHES = ("", "//", "..", "xx", "\\\\")
MARKERS = ("o", "s", "^", "D", "v")


def draw_all(results: Results, baselines: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw every figure as PDF, for print, and as PNG, for the screen.

    ``baselines`` is the log loss by noise, a table of the appendix.
    """
    written = []
    drawn = {name: draw(results) for name, draw in FIGURES.items()}
    drawn[APPENDIX_FIGURE] = baseline_differences(baselines)
    for name, figure in drawn.items():
        for suffix in ("pdf", "png"):
            path = folder / f"{name}.{suffix}"
            with replacing(path) as temporary:
                # without dates, the same results give the same bytes
                metadata = {"CreationDate": None} if suffix == "pdf" else {"Software": None}
                figure.savefig(temporary, dpi=160, bbox_inches="tight", metadata=metadata)
            written.append(path)
    return written


def main_bars(results: Results) -> Figure:
    """Mean ECE, Brier score and log loss of every method."""
    means = tables.main(results)
    figure = Figure(figsize=(9, 2.8), layout="constrained")
    for ax, metric in zip(figure.subplots(1, 3), ("ece", "brier", "nll"), strict=True):
        values = means[metric].sort_values(ascending=False, kind="stable")
        ours = [name in ("LWCal", "Gated-LWCal") for name in values.index]
        ax.barh(
            values.index,
            values,
            color=["#0072b2" if own else "0.8" for own in ours],
            hatch=["//" if own else "" for own in ours],
            edgecolor="0.2",
        )
        ax.set_xlabel(f"mean {TITLES[metric]} (lower is better)")
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def noise_rate_curves(results: Results) -> Figure:
    """ECE and log loss by noise rate, including the clean cells."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    for ax, metric in zip(figure.subplots(1, 2), ("ece", "nll"), strict=True):
        wide = results.main_results.pivot_table(index="rate", columns="method", values=metric)
        _lines(ax, wide[list(tables.FOUR)])
        ax.set(xlabel="noise rate", ylabel=f"mean {TITLES[metric]}")
    ax.legend(frameon=False)
    return figure


def tradeoff(results: Results) -> Figure:
    """Mean ECE and mean log loss, one point per method."""
    means = tables.main(results)
    figure = Figure(figsize=(4.6, 3.8), layout="constrained")
    ax = figure.subplots()
    for name, row in means.iterrows():
        ours = name in ("LWCal", "Gated-LWCal")
        ax.plot(row["ece"], row["nll"], "D" if ours else "o", color="#0072b2" if ours else "0.4")
        ax.annotate(str(name), (row["ece"], row["nll"]), (4, 3), textcoords="offset points")
    ax.margins(x=0.18, y=0.1)
    ax.set(xlabel="mean ECE", ylabel="mean log loss")
    return figure


def reliability(results: Results) -> Figure:
    """Reliability curve over the digits and synthetic cells at 20% to 30% noise."""
    curve = tables.reliability_curve(results)
    figure = Figure(figsize=(4.2, 4.2), layout="constrained")
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, label="perfect")
    for k, method in enumerate(tables.FOUR):
        bins = curve.loc[method]
        ax.plot(
            bins["predicted"],
            bins["observed"],
            color=COLOURS[k],
            marker=MARKERS[k],
            ms=4,
            label=method,
        )
    ax.set(xlabel="predicted probability", ylabel="observed frequency", aspect="equal")
    ax.legend(frameon=False)
    return figure


def base_learner_bars(results: Results) -> Figure:
    """Log loss of each method for each base learner."""
    means = results.robustness_results.groupby(["learner", "method"])["nll"].mean()
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    ax = figure.subplots()
    width = 0.8 / len(tables.BASE_METHODS)
    places = np.arange(len(LEARNERS))
    for k, method in enumerate(tables.BASE_METHODS):
        heights = [means[(learner, method)] for learner in LEARNERS]
        ax.bar(
            places + (k - 2) * width,
            heights,
            width,
            label=method,
            color=COLOURS[k],
            hatch=HATCHES[k],
            edgecolor="white",
        )
    ax.set_xticks(places, LEARNERS)
    ax.set_ylabel("mean log loss")
    figure.legend(frameon=False, ncols=5, loc="outside upper center")
    return figure


def trimming_sweep(results: Results) -> Figure:
    """ECE and log loss of trimmed beta calibration, by the share of rows kept."""
    means = tables.trimming(results)
    kept = means.index.astype(float)
    gated = tables.main(results).loc["Gated-LWCal"]
    figure = Figure(figsize=(8, 3), layout="constrained")
    for ax, metric in zip(figure.subplots(1, 2), ("ece", "nll"), strict=True):
        ax.plot(kept, means[metric], color=COLOURS[1], marker="s", label="trimmed beta")
        ax.axhline(gated[metric], color=COLOURS[2], linestyle="--", label="Gated-LWCal")
        ax.set(xlabel="share of rows kept", ylabel=f"mean {TITLES[metric]}")
    ax.legend(frameon=False)
    return figure


def baseline_differences(by_noise: pd.DataFrame) -> Figure:
    """Log loss of each baseline minus that of Gated-LWCal: below zero, the baseline wins."""
    differences = (by_noise - by_noise.loc[REFERENCE]).loc[list(BASELINES)]
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    panels = figure.subplots(2, -(-len(differences) // 2), sharex=True, sharey=True)
    for ax, (name, row) in zip(panels.flat, differences.iterrows(), strict=False):
        wins = row < 0
        ax.bar(
            row.index,
            row,
            color=["#0072b2" if win else "0.8" for win in wins],
            hatch=["//" if win else "" for win in wins],
            edgecolor="0.2",
        )
        ax.axhline(0.0, color="0.2", linewidth=1)
        ax.set_title(f"{name}: wins in {int(wins.sum())} of {len(row)}", fontsize=9)
        ax.tick_params("x", rotation=90)
        ax.spines[["top", "right"]].set_visible(False)
    figure.supylabel(f"log loss minus that of {REFERENCE}", fontsize=10)
    return figure


def _lines(ax: Any, wide: pd.DataFrame) -> None:
    for k, method in enumerate(wide.columns):
        ax.plot(wide.index, wide[method], color=COLOURS[k], marker=MARKERS[k], label=method)
    ax.spines[["top", "right"]].set_visible(False)


FIGURES: dict[str, Draw] = {
    "main": main_bars,
    "noise_rate": noise_rate_curves,
    "tradeoff": tradeoff,
    "reliability": reliability,
    "base_learner": base_learner_bars,
    "trimming": trimming_sweep,
}
"""Every figure of the paper, by file name."""
APPENDIX_FIGURE = "baselines"
