"""What tests of claims measure: means over cells, and differences with intervals by data set."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from lwcal_study.paper import tables
from lwcal_study.paper.results import Results
from lwcal_study.paper.tested_claims.parts import Part

OURS = ("LWCal", "Gated-LWCal")
BASELINES = ("Raw", "Platt", "Isotonic", "Beta")
TRIMMED = ("TrimCal-Iso", "TrimCal-Beta")
PROPER = ("brier", "nll")
MAIN_METRICS = ("ece", "brier", "nll")
TITLES = {
    "ece": "ECE",
    "adaptive_ece": "adaptive ECE",
    "brier": "Brier score",
    "nll": "log loss†",
    "auc": "AUC",
    "classwise_ece": "classwise ECE",
    "minority_ece": "minority ECE",
    "class_gap": "class gap",
}
"""Names of metrics. The dagger marks numbers that rest on a choice fitted to the paper's tables."""


def noisy(results: Results) -> pd.DataFrame:
    """Noisy cells of the main study."""
    frame = results.main_results
    return frame[frame["rate"] > 0]


def at_rate(results: Results, *rates: float) -> pd.DataFrame:
    """Cells of the main study with one of these noise rates."""
    return results.main_results[results.main_results["rate"].isin(rates)]


def of_kind(results: Results, kind: str) -> pd.DataFrame:
    """Noisy cells of the main study with one kind of noise."""
    frame = noisy(results)
    return frame[frame["kind"] == kind]


def means(frame: pd.DataFrame, metric: str) -> pd.Series:
    """Mean of a metric over the cells, by method."""
    return frame.groupby("method")[metric].mean()


def lower(frame: pd.DataFrame, metric: str, method: str, other: str, where: str = "") -> Part:
    """Part: the mean of a method is lower than that of another one."""
    values = means(frame, metric)
    found = tables.difference(frame, metric, method, other, by="dataset")
    return Part(
        f"{where}{method} has lower {TITLES[metric]} than {other}",
        bool(found.value < 0),
        f"{values[method]:.3f} against {values[other]:.3f} [{found.low:+.3f}, {found.high:+.3f}]",
        sure=bool(found.high < 0),
    )


def higher(frame: pd.DataFrame, metric: str, method: str, other: str, where: str = "") -> Part:
    """Part: the mean of a method is higher than that of another one."""
    turned = lower(frame, metric, other, method, where)
    values = means(frame, metric)
    found = tables.difference(frame, metric, method, other, by="dataset")
    return turned._replace(
        text=f"{where}{method} has higher {TITLES[metric]} than {other}",
        measured=f"{values[method]:.3f} against {values[other]:.3f} "
        f"[{found.low:+.3f}, {found.high:+.3f}]",
    )


def lowest(
    frame: pd.DataFrame, metric: str, method: str, among: Iterable[str], where: str = ""
) -> Part:
    """Part: a method has the lowest mean of all. It is compared with the best of the others."""
    values = means(frame, metric)
    best = values[[name for name in among if name != method]].idxmin()
    part = lower(frame, metric, method, str(best), where)
    return part._replace(
        text=f"{where}{method} has the lowest {TITLES[metric]}",
        measured=f"{part.measured}, the best of the others: {best}",
    )


def excludes_zero(frame: pd.DataFrame, metric: str, method: str, other: str) -> Part:
    """Part: the interval of a difference lies below zero. Intervals by data set decide."""
    by_dataset, by_cell = (
        tables.difference(frame, metric, method, other, by=by) for by in ("dataset", "cell")
    )
    return Part(
        f"{TITLES[metric]} against {other}",
        bool(by_dataset.high < 0),
        f"{by_dataset.value:+.4f}, by data set [{by_dataset.low:+.4f}, {by_dataset.high:+.4f}], "
        f"by cell [{by_cell.low:+.4f}, {by_cell.high:+.4f}]",
        sure=bool(by_dataset.high < 0),
    )
