"""The tables of the paper, computed from the results of the cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

import lwcal
from lwcal_study.paper import reported
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.results import COORDINATES, Results
from lwcal_study.paper.tasks import LOADERS, load_task

FOUR = ("Raw", "Isotonic", "LWCal", "Gated-LWCal")
BASE_METHODS = ("Raw", "Isotonic", "Beta", "LWCal", "Gated-LWCal")
DELTA_BASELINES = ("Raw", "Isotonic", "Beta", "LWCal")
DELTA_METRICS = ("ece", "brier", "nll")
N_RESAMPLES = 10_000
RELIABILITY_RATES = (0.2, 0.3)
"""Noise rates of the reliability curve."""
UNITS = {"cell": COORDINATES, "dataset": ["dataset"]}
"""What a bootstrap draws, and the columns that tell one from another."""


class StudyTable(NamedTuple):
    """One table of the paper: the values measured here, and those that the paper reports."""

    name: str
    title: str
    measured: pd.DataFrame
    reported: pd.DataFrame

    def distances(self) -> pd.Series:
        """Absolute differences, for every value that the paper reports."""
        if self.reported.empty:
            return pd.Series(dtype=float)
        common = self.measured.reindex(index=self.reported.index, columns=self.reported.columns)
        return (common - self.reported).abs().stack()

    def side_by_side(self) -> pd.DataFrame:
        """One line per value: row, column, paper, here, difference."""
        shown = self.measured.stack().rename("here").to_frame()
        paper = self.reported.stack() if not self.reported.empty else float("nan")
        shown.insert(0, "paper", paper)
        shown["difference"] = shown["here"] - shown["paper"]
        return shown.rename_axis(["row", "column"]).reset_index()


def all_tables(results: Results) -> list[StudyTable]:
    """Every table, in the order of the paper."""
    noisy = results.main_results[results.main_results["rate"] > 0]
    return [
        StudyTable("datasets", "The nine tasks", datasets(), _frame(reported.DATASETS)),
        StudyTable("main", "Means over the noisy cells", main(results), _frame(reported.MAIN)),
        StudyTable("oracle", "Fitted to clean labels", oracle(results), _frame(reported.ORACLE)),
        StudyTable("noise_rate", "By noise rate", by(noisy, "rate"), _frame(reported.NOISE_RATE)),
        StudyTable(
            "noise_kind", "By kind of noise", by(noisy, "kind"), _frame(reported.NOISE_KIND)
        ),
        StudyTable(
            "deltas", "Paired bootstrap differences", deltas(results), _frame(reported.DELTAS)
        ),
        StudyTable(
            "main_deltas",
            "Paired bootstrap differences, main study",
            main_deltas(results),
            _frame({}),
        ),
        StudyTable("gate", "Sensitivity to the gate", gate(results), _frame(reported.GATE)),
        StudyTable("per_dataset", "By data set", per_dataset(noisy), _frame(reported.PER_DATASET)),
        StudyTable("classwise", "By true class", classwise(noisy), _frame(reported.CLASSWISE)),
        StudyTable(
            "base_learner", "By base learner", learners(results), _frame(reported.BASE_LEARNER)
        ),
    ]


def _frame(table: reported.Table) -> pd.DataFrame:
    return pd.DataFrame.from_dict(table, orient="index")


def datasets() -> pd.DataFrame:
    """Size and base rate of each task."""
    loaded = {name: load_task(name) for name in LOADERS}
    return _frame(
        {
            name: {"n": len(task.y), "d": task.X.shape[1], "positive_rate": float(task.y.mean())}
            for name, task in loaded.items()
        }
    )


def means(frame: pd.DataFrame, methods: Iterable[str], columns: Iterable[str]) -> pd.DataFrame:
    """Mean of each metric over the cells, one row per method."""
    return frame.groupby("method")[list(columns)].mean().loc[list(methods)]


def main(results: Results) -> pd.DataFrame:
    """All methods over the noisy cells, the lowest log loss first."""
    frame = results.main_results
    columns = ["ece", "brier", "nll", "auc", "adaptive_ece", "macro_f1", "nll_strict"]
    table = means(frame[frame["rate"] > 0], frame["method"].unique(), columns)
    return table.sort_values("nll", kind="stable")


def oracle(results: Results) -> pd.DataFrame:
    """Isotonic regression fitted to clean calibration labels, over the noisy cells."""
    frame = results.oracle_results
    return means(frame[frame["rate"] > 0], ["Oracle"], ["ece", "brier", "nll", "auc", "nll_strict"])


def by(noisy: pd.DataFrame, coordinate: str) -> pd.DataFrame:
    """ECE and log loss of four methods, for each value of a coordinate."""
    wide = noisy.pivot_table(index=coordinate, columns="method", values=["ece", "nll"], sort=False)
    table = pd.DataFrame(
        {f"{m} {method}": wide[(m, method)] for m in ("ece", "nll") for method in FOUR}
    )
    table.index = [
        f"{value:.0%}" if isinstance(value, float) else str(value).capitalize()
        for value in table.index
    ]
    return table


def cell_values(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per cell and one column per method."""
    return frame.pivot_table(index=COORDINATES, columns="method", values=metric, sort=False)


def deltas(results: Results) -> pd.DataFrame:
    """Gated-LWCal minus each baseline in the robustness study, with 95% intervals."""
    return paired(results.robustness_results, "Gated-LWCal", DELTA_BASELINES)


def main_deltas(results: Results) -> pd.DataFrame:
    """The same in the main study, of which the paper has no table, with Platt scaling."""
    frame = results.main_results
    baselines = ("Raw", "Platt", *DELTA_BASELINES[1:])
    noisy = frame[frame["rate"] > 0]
    return paired(noisy, "Gated-LWCal", baselines, (*DELTA_METRICS, "nll_strict"))


def paired(
    frame: pd.DataFrame,
    method: str,
    baselines: Iterable[str],
    metrics: Iterable[str] = DELTA_METRICS,
) -> pd.DataFrame:
    """Mean difference from each baseline, with bootstrap intervals by cell and by data set."""
    metrics = list(metrics)
    grouped = {by: _unit_means(frame, metrics, by) for by in UNITS}
    rows = {}
    for metric in metrics:
        for baseline in baselines:
            by_cell, by_dataset = (
                _difference(grouped[by][metric], method, baseline) for by in ("cell", "dataset")
            )
            rows[f"{metric} {baseline}"] = {
                "delta": by_cell.value,
                "lower": by_cell.low,
                "upper": by_cell.high,
                "lower by data set": by_dataset.low,
                "upper by data set": by_dataset.high,
            }
    return _frame(rows)


def difference(
    frame: pd.DataFrame, metric: str, method: str, baseline: str, *, by: str
) -> lwcal.Estimate:
    """Mean of a method minus that of another, with a bootstrap interval by cell or by data set.

    The cells of a data set share its rows, so they are not independent. An interval by data set
    draws whole data sets.
    """
    both = frame[frame["method"].isin((method, baseline))]
    return _difference(_unit_means(both, [metric], by)[metric], method, baseline)


def _unit_means(frame: pd.DataFrame, metrics: list[str], by: str) -> pd.DataFrame:
    """Means of each method in each cell or data set."""
    return frame.groupby(["method", *UNITS[by]])[metrics].mean()


def _difference(unit_means: pd.Series, method: str, baseline: str) -> lwcal.Estimate:
    return lwcal.metrics.paired_bootstrap(
        unit_means[method],
        unit_means[baseline],
        n_resamples=N_RESAMPLES,
        confidence=0.95,
        random_state=0,
    )


def gate(results: Results) -> pd.DataFrame:
    """Gated-LWCal with twelve pairs of gate centre and width."""
    frame = results.gate_results
    noisy = frame[frame["rate"] > 0]
    return means(noisy, noisy["method"].unique(), DELTA_METRICS)


def trimming(results: Results) -> pd.DataFrame:
    """Trimmed beta calibration, by the share of rows kept. The paper has only a figure of it."""
    frame = results.trimming_results
    noisy = frame[frame["rate"] > 0]
    return means(noisy, sorted(noisy["method"].unique()), DELTA_METRICS)


def per_dataset(noisy: pd.DataFrame) -> pd.DataFrame:
    """ECE and log loss of two methods for each task."""
    wide = noisy.pivot_table(index="dataset", columns="method", values=["ece", "nll"])
    columns = [("ece", "Raw"), ("ece", "LWCal"), ("nll", "Raw"), ("nll", "Gated-LWCal")]
    return pd.DataFrame({" ".join(column): wide[column] for column in columns})


def classwise(noisy: pd.DataFrame) -> pd.DataFrame:
    """Calibration errors within the true classes."""
    return means(noisy, FOUR, ["classwise_ece", "minority_ece", "class_gap"])


def learners(results: Results) -> pd.DataFrame:
    """ECE and log loss of each method, for each base learner."""
    frame = results.robustness_results
    wide = frame.groupby(["learner", "method"])[["ece", "nll"]].mean()
    table = wide.loc[[(a, b) for a in LEARNERS for b in BASE_METHODS]]
    table.index = [" / ".join(pair) for pair in table.index]
    return table


def reliability_curve(results: Results) -> pd.DataFrame:
    """Rows, mean probability and share of positives of each method and bin.

    Over the digits and synthetic cells at 20% to 30% noise, as in the paper's figure.
    """
    frame = results.reliability
    chosen = frame[
        frame["dataset"].str.contains("Digits|Synthetic") & frame["rate"].isin(RELIABILITY_RATES)
    ]
    sums = chosen.groupby(["method", "bin"])[["rows", "positives", "probability"]].sum()
    return pd.DataFrame(
        {
            "rows": sums["rows"],
            "predicted": sums["probability"] / sums["rows"],
            "observed": sums["positives"] / sums["rows"],
        }
    )


def overall_distance(tables: Iterable[StudyTable]) -> float:
    """Mean absolute difference over all results that the paper reports."""
    measured = [table.distances() for table in tables if table.name != "datasets"]
    return float(np.mean(np.concatenate([distance.to_numpy() for distance in measured])))
