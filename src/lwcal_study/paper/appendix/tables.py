"""The tables of the appendix: the baselines beside the paper's methods, on the same cells."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from lwcal_study.paper import tables
from lwcal_study.paper.appendix.methods import BASELINES, BLENDED
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.results import BaselineResults, Results

REFERENCE = "Gated-LWCal"
"""The method that every baseline is compared with."""
BESIDE = ("Raw", "Platt", "Isotonic", "LWCal", REFERENCE)
"""Methods of the paper that are shown beside the baselines."""
METRICS = ("ece", "brier", "nll", "nll_strict")
SHOWN = (*BASELINES, *BLENDED)


class AppendixTable(NamedTuple):
    """A table with the name of its files and its title."""

    name: str
    title: str
    measured: pd.DataFrame


class Compared(NamedTuple):
    """Noisy cells of the main study and cells of the robustness study, with every method."""

    main: pd.DataFrame
    robustness: pd.DataFrame
    suspicion: pd.DataFrame


def compared(results: Results, baselines: BaselineResults) -> Compared:
    """Put the baselines beside the paper's methods. The paper's own tables do not read this."""
    main = pd.concat([results.main_results, results.oracle_results, baselines.baseline_results])
    robustness = pd.concat([results.robustness_results, baselines.baseline_robustness])
    suspicion = baselines.suspicion
    return Compared(main[main["rate"] > 0], robustness, suspicion[suspicion["rate"] > 0])


def appendix_tables(found: Compared) -> list[AppendixTable]:
    """Every table of the appendix."""
    return [
        AppendixTable("baselines", "Means over the noisy cells, with baselines", means(found)),
        AppendixTable(
            "baseline_deltas",
            "Gated-LWCal minus each baseline, main study",
            tables.paired(found.main, REFERENCE, SHOWN, METRICS),
        ),
        AppendixTable("baseline_noise", "Log loss † by noise rate and kind", by_noise(found)),
        AppendixTable("baseline_datasets", "Log loss † by data set", by_dataset(found)),
        AppendixTable(
            "baseline_learners", "ECE and log loss of baselines by learner", by_learner(found)
        ),
        AppendixTable(
            "suspicion", "Labels that confident learning suspects", suspected_labels(found)
        ),
    ]


def means(found: Compared) -> pd.DataFrame:
    """Means of the baselines and of some methods of the paper, the lowest log loss first."""
    columns = ["ece", "brier", "nll", "auc", "nll_strict"]
    return tables.means(found.main, [*BESIDE, "Oracle", *SHOWN], columns).sort_values("nll")


def by_noise(found: Compared) -> pd.DataFrame:
    """Log loss of every baseline by noise rate crossed with kind."""
    noise = found.main["rate"].map("{:.0%} ".format) + found.main["kind"]
    return _wide(found.main.assign(noise=noise), "noise")


def by_dataset(found: Compared) -> pd.DataFrame:
    """Log loss of every baseline by data set."""
    return _wide(found.main, "dataset")


def _wide(frame: pd.DataFrame, coordinate: str) -> pd.DataFrame:
    wide = frame.pivot_table(index="method", columns=coordinate, values="nll", sort=False)
    return wide.loc[["Raw", REFERENCE, *SHOWN]].rename_axis(index=None, columns=None)


def by_learner(found: Compared) -> pd.DataFrame:
    """ECE and log loss of every baseline at 20% to 30% noise, by base learner."""
    wide = found.robustness.pivot_table(index="method", columns="learner", values=["ece", "nll"])
    shown = wide.loc[["Raw", REFERENCE, *SHOWN]]
    return pd.DataFrame(
        {f"{m} {learner}": shown[(m, learner)] for m in ("ece", "nll") for learner in LEARNERS}
    ).rename_axis(index=None)


def suspected_labels(found: Compared) -> pd.DataFrame:
    """How many labels are wrong and suspected, and how often suspicion is right."""
    noise = found.suspicion["rate"].map("{:.0%} ".format) + found.suspicion["kind"]
    counts = found.suspicion.assign(noise=noise).groupby("noise", sort=False)
    sums = counts[["rows", "wrong", "suspected", "both", "unrepaired"]].sum()
    return pd.DataFrame(
        {
            "wrong": sums["wrong"] / sums["rows"],
            "suspected": sums["suspected"] / sums["rows"],
            "wrong, of the suspected": sums["both"] / sums["suspected"],
            "suspected, of the wrong": sums["both"] / sums["wrong"],
            "repairs not made": sums["unrepaired"].astype(float),
            "of repairs": 2.0 * counts.size(),
        }
    ).rename_axis(index=None)
