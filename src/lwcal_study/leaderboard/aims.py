"""What the noise-aware calibrators are meant to reach, and whether a run shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pandas as pd

from lwcal_study import contenders
from lwcal_study.contenders import RAW

GATED, LWCAL, OURS, AUTO = "GatedLWCal", "LWCal", "NoiseAware", "Auto"
CLEAN_ISOTONIC, CLEAN_PLATT = "Isotonic on clean labels", "Platt on clean labels"
AUDITED = {contender.checked: contender.name for contender in contenders.AUDITED}
NEEDED = {RAW, GATED, LWCAL, OURS, AUTO, CLEAN_ISOTONIC, CLEAN_PLATT, "Isotonic", "Platt"}


class Aim(NamedTuple):
    """A ratio of means that should not exceed a limit."""

    suite: str
    what: str
    limit: float
    measure: Callable[[pd.DataFrame], float]


def _ratio(metric: str, ours: str, other: str) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        means = frame.groupby("contender")[metric].mean()
        return float(means[ours] / means[other])

    return measure


def _worst_task(ours: str, other: str) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        means = frame.groupby(["task", "contender"])["nll"].mean().unstack()
        return float((means[ours] / means[other]).max())

    return measure


def _left_open(ours: str) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        sums = frame.groupby(["task", "contender"])["nll"].mean().groupby("contender").sum()
        return float((sums[ours] - sums[CLEAN_PLATT]) / (sums[RAW] - sums[CLEAN_PLATT]))

    return measure


def _lost_auc(frame: pd.DataFrame) -> float:
    auc = frame.pivot_table(
        index=["task", "learner", "kind", "strength", "seed"], columns="contender", values="auc"
    )
    return float((auc[RAW] - auc[OURS]).abs().max())


AIMS = (
    Aim("paper", "NLL of NoiseAware to Gated-LWCal's", 0.88, _ratio("nll", OURS, GATED)),
    Aim("paper", "its Brier score to Gated-LWCal's", 0.92, _ratio("brier", OURS, GATED)),
    Aim("paper", "its Brier score to the oracle's", 1.06, _ratio("brier", OURS, CLEAN_ISOTONIC)),
    Aim("paper", "its ECE to LWCal's", 1.0, _ratio("ece", OURS, LWCAL)),
    Aim("paper", "its ECE to Gated-LWCal's", 0.90, _ratio("ece", OURS, GATED)),
    Aim("paper", "largest difference of its AUC from raw", 1e-4, _lost_auc),
    Aim("paper-clean", "NLL of NoiseAware to isotonic's", 1.0, _ratio("nll", OURS, "Isotonic")),
    Aim("paper-clean", "NLL of NoiseAware to Platt's", 1.0, _ratio("nll", OURS, "Platt")),
    Aim("real", "NLL of NoiseAware to raw", 0.92, _ratio("nll", OURS, RAW)),
    Aim("real", "NLL of NoiseAware to Gated-LWCal's", 0.90, _ratio("nll", OURS, GATED)),
    Aim("real-clean", "NLL of NoiseAware to Platt's", 1.03, _ratio("nll", OURS, "Platt")),
    Aim("natural", "NLL of NoiseAware to raw", 0.97, _ratio("nll", OURS, RAW)),
    Aim("natural", "NLL of Auto to raw", 0.97, _ratio("nll", AUTO, RAW)),
    Aim("natural", "NLL of Auto to raw, on its worst task", 1.10, _worst_task(AUTO, RAW)),
    Aim("natural", "left open with 25 checked labels", 0.25, _left_open(AUDITED[25])),
    Aim("natural", "left open with 50 checked labels", 0.15, _left_open(AUDITED[50])),
    Aim("natural", "left open with 100 checked labels", 0.08, _left_open(AUDITED[100])),
    Aim("natural", "NLL to raw on its worst task, 50 checked", 1.02, _worst_task(AUDITED[50], RAW)),
)


def reached(frame: pd.DataFrame) -> Iterator[tuple[Aim, float]]:
    """Measure every aim whose suite was run, on judged tasks; means are over cells.

    Without all the contenders that the aims speak of there is nothing to measure.
    """
    if not set(frame["contender"]) >= NEEDED | set(AUDITED.values()):
        return
    judged = frame[frame["part"] == "judged"].astype(
        {"nll": "float64", "brier": "float64", "ece": "float64", "auc": "float64"}
    )
    for aim in AIMS:
        cells = judged[judged["suite"] == aim.suite]
        if len(cells):
            yield aim, aim.measure(cells)


def aims_rows(frame: pd.DataFrame) -> list[list[str]]:
    """One row an aim: where, what, the limit, what was measured, and the verdict."""
    return [
        [
            aim.suite,
            aim.what,
            f"at most {aim.limit:g}",
            f"{measured:.3f}",
            "met" if measured <= aim.limit else "**missed**",
        ]
        for aim, measured in reached(frame)
    ]
