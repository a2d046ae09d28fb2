"""Where the paper contradicts itself, recomputed from its own tables.

Lines are those of the paper's LaTeX source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from lwcal_study.paper import reported
from lwcal_study.paper.tested_claims.measures import OURS


class Inconsistency(NamedTuple):
    """A sentence of the paper, its lines, and what the paper's own tables say.

    ``found`` computes the sentence about the tables.
    """

    lines: str
    table: str
    says: str
    found: Callable[[], str]


class Contradiction(NamedTuple):
    """An inconsistency with its numbers."""

    lines: str
    table: str
    says: str
    tables_say: str


def contradictions() -> list[Contradiction]:
    """Every inconsistency, computed."""
    return [Contradiction(i.lines, i.table, i.says, i.found()) for i in INCONSISTENCIES]


def _frame(table: reported.Table) -> pd.DataFrame:
    return pd.DataFrame.from_dict(table, orient="index")


def _datasets_that_fall() -> str:
    table = _frame(reported.PER_DATASET)
    ece = table["ece LWCal"] < table["ece Raw"]
    nll = table["nll Gated-LWCal"] < table["nll Raw"]
    return (
        f"ECE falls on {ece.sum()} (all but {', '.join(table.index[~ece])}), log loss on "
        f"{nll.sum()} (all but {', '.join(table.index[~nll])})"
    )


def _iris() -> str:
    row = reported.PER_DATASET["Iris Versicolor"]
    return (
        f"on Iris Versicolor, LWCal lowers ECE from {row['ece Raw']:.3f} to {row['ece LWCal']:.3f}"
    )


def _aucs() -> str:
    auc = {name: row["auc"] for name, row in reported.MAIN.items()}
    lost = ", ".join(f"{name} {auc[name]:.3f}" for name in ("Platt", "Beta", "TrimCal-Beta"))
    cells = 432 * (auc["Raw"] - auc["Beta"]) / (2 * auc["Raw"] - 1)
    return (
        f"AUC: raw {auc['Raw']:.3f}, but {lost}. An increasing map keeps every AUC, so some fitted "
        f"slopes were zero or negative. Some {cells:.0f} reversed maps of 432 would explain "
        "the beta row"
    )


def _oracle() -> str:
    gated, oracle = reported.MAIN["Gated-LWCal"]["nll"], reported.ORACLE["Oracle"]["nll"]
    return f"log loss {gated:.3f} is above the oracle's {oracle:.3f}, and lower is better"


def _platt_interval() -> str:
    baselines = sorted({name.split(maxsplit=1)[1] for name in reported.DELTAS})
    return (
        f"the only table of intervals has {', '.join(baselines)}. It has no Platt, and its "
        "cells are "
        "those of the robustness study"
    )


def _additional_cells() -> str:
    return (
        "3 learners x 9 data sets x 3 seeds x 2 kinds x 2 rates are 324, so 108 of the cells have "
        "random forests; no whole number of seeds gives 324 without them. Extra trees and boosting "
        "have three seeds, not six"
    )


def _gate_at_30() -> str:
    row = reported.NOISE_RATE["30%"]
    return (
        f"at 30%, Gated-LWCal is worse on both: ECE {row['ece Gated-LWCal']:.3f} against "
        f"{row['ece LWCal']:.3f}, log loss {row['nll Gated-LWCal']:.3f} against "
        f"{row['nll LWCal']:.3f}"
    )


def _roles() -> str:
    even, uneven = reported.NOISE_KIND["Symmetric"], reported.NOISE_KIND["Asymmetric"]
    return (
        f"under symmetric noise, LWCal has the lower log loss ({even['nll LWCal']:.3f} against "
        f"{even['nll Gated-LWCal']:.3f}); under asymmetric noise, Gated-LWCal has the lower ECE "
        f"({uneven['ece Gated-LWCal']:.3f} against {uneven['ece LWCal']:.3f})"
    )


def _harder() -> str:
    even, uneven = reported.NOISE_KIND["Symmetric"], reported.NOISE_KIND["Asymmetric"]
    easier = [name for name, value in uneven.items() if value < even[name]]
    return f"{len(easier)} of {len(even)} values are lower under asymmetric noise: " + ", ".join(
        f"{name} {even[name]:.3f} to {uneven[name]:.3f}" for name in easier
    )


def _isotonic_asymmetric() -> str:
    row = reported.NOISE_KIND["Asymmetric"]
    return (
        "under asymmetric noise, isotonic has lower ECE: "
        f"{row['ece Isotonic']:.3f} against {row['ece LWCal']:.3f}"
    )


def _at_40() -> str:
    row = reported.NOISE_RATE["40%"]
    return (
        f"at 40%, Gated-LWCal is worse than raw on both: ECE {row['ece Gated-LWCal']:.3f} against "
        f"{row['ece Raw']:.3f}, log loss {row['nll Gated-LWCal']:.3f} against {row['nll Raw']:.3f}"
    )


def _all_reliability() -> str:
    gap = {name: reported.CLASSWISE[name]["class_gap"] for name in ("Raw", "Gated-LWCal")}
    return f"the class gap grows from {gap['Raw']:.3f} to {gap['Gated-LWCal']:.3f}"


def _majority() -> str:
    other = {
        name: 2 * row["classwise_ece"] - row["minority_ece"]
        for name, row in reported.CLASSWISE.items()
    }
    gains = []
    for name in OURS:
        minority = (
            reported.CLASSWISE["Raw"]["minority_ece"] - reported.CLASSWISE[name]["minority_ece"]
        )
        gains.append(f"{name} {minority:.3f} against {other['Raw'] - other[name]:.3f}")
    return (
        "if classwise ECE is the mean of both classes, the minority gains less than the majority: "
        + ", ".join(gains)
    )


def _platt_helps() -> str:
    platt, raw = reported.MAIN["Platt"]["ece"], reported.MAIN["Raw"]["ece"]
    return f"ECE of Platt is {platt:.3f}, of raw {raw:.3f}"


def _trimmed_isotonic() -> str:
    kept, every = reported.MAIN["TrimCal-Iso"], reported.MAIN["Isotonic"]
    return (
        f"for isotonic regression, trimming raises log loss from {every['nll']:.3f} to "
        f"{kept['nll']:.3f} and "
        f"lowers AUC from {every['auc']:.3f} to {kept['auc']:.3f}"
    )


def _one_score() -> str:
    return "by its equation of the gate, rho is 1 from 0.41 on, so the two scores are the same one"


def _gate_center() -> str:
    return (
        "by its equation, the gate starts to open at 0.29 and is half open at 0.35: the number is "
        "where the gate starts"
    )


def _raw_rf() -> str:
    return "the rows of extra trees and gradient boosting are called Raw RF"


def _unweighted() -> str:
    return "its equation has no weights; the weighted one follows two paragraphs later"


def _seven_tables() -> str:
    return (
        "two are from the wine data and two from the digits, so nine tasks rest on seven tables, "
        "and intervals over nine are too narrow"
    )


INCONSISTENCIES = [
    Inconsistency(
        "558-559",
        "data sets",
        "ECE falls on seven of nine data sets, log loss on six.",
        _datasets_that_fall,
    ),
    Inconsistency("536-537, 561-562", "data sets", "Iris is one of the two stress cases.", _iris),
    Inconsistency(
        "361-362", "main", "Post-hoc maps are monotone, and only flatten or coarsen scores.", _aucs
    ),
    Inconsistency("366", "main", "The methods remain below the oracle on proper scores.", _oracle),
    Inconsistency(
        "51-53",
        "deltas",
        "Intervals against raw, Platt, isotonic and beta exclude zero.",
        _platt_interval,
    ),
    Inconsistency(
        "46-47, 128-129",
        "base learners",
        "Six seeds and three learners; 324 additional cells.",
        _additional_cells,
    ),
    Inconsistency(
        "670-672, 730-731",
        "noise rates",
        "Gated-LWCal gives up ECE to protect log loss and Brier score.",
        _gate_at_30,
    ),
    Inconsistency(
        "439-440, 667-672",
        "noise kinds",
        "LWCal is the calibration-error variant, Gated-LWCal the proper-score variant.",
        _roles,
    ),
    Inconsistency("432-433", "noise kinds", "The asymmetric setting is more difficult.", _harder),
    Inconsistency(
        "668, 730",
        "noise kinds",
        "LWCal is the choice for ECE.",
        _isotonic_asymmetric,
    ),
    Inconsistency(
        "694-695",
        "noise rates",
        "For a large d, as in the 40% row, use Gated-LWCal for conservative scoring.",
        _at_40,
    ),
    Inconsistency(
        "364-365", "classes", "Gated-LWCal improves all reliability metrics.", _all_reliability
    ),
    Inconsistency(
        "568-570",
        "classes",
        "Loss weighting improves the minority class rather than only the majority.",
        _majority,
    ),
    Inconsistency("331-332", "main", "Platt and beta calibration do not help.", _platt_helps),
    Inconsistency(
        "644-645, 651-652",
        "main",
        "Trimming helps relative to using all noisy labels.",
        _trimmed_isotonic,
    ),
    Inconsistency(
        "720", "protocol", "For d of 0.41 or more, use the raw score or Gated-LWCal.", _one_score
    ),
    Inconsistency("474-478, 513", "gates", "0.29 is the centre of the gate.", _gate_center),
    Inconsistency("624, 629", "base learners", "Each learner has a raw row.", _raw_rf),
    Inconsistency(
        "189-193", "equation 4", "Isotonic calibration solves a weighted problem.", _unweighted
    ),
    Inconsistency("252-253", "data sets", "There are nine data sets.", _seven_tables),
]
"""Everything found, the most consequential first."""


def agreements() -> str:
    """The tables that agree with each other, to the rounding of three digits."""
    checks = {
        "the noise rates": _frame(reported.NOISE_RATE).mean(),
        "the noise kinds": _frame(reported.NOISE_KIND).mean(),
        "the data sets": _frame(reported.PER_DATASET).mean(),
    }
    compared, largest = 0, 0.0
    for means in checks.values():
        for name, value in means.items():
            metric, method = str(name).split(maxsplit=1)
            largest = max(largest, abs(value - reported.MAIN[method][metric]))
            compared += 1
    return (
        f"The paper's tables agree with each other: {compared} means over {', '.join(checks)} "
        f"differ from the main table by at most {largest:.4f}, which is rounding. So its tables "
        "come from one run, and the contradictions are in its text."
    )
