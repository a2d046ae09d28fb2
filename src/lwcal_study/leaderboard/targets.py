"""Targets of the noise-aware calibrators, and whether a run meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isnan, nan
from typing import NamedTuple

import pandas as pd

from lwcal_study.leaderboard import methods
from lwcal_study.leaderboard.methods import RAW

GATED, LWCAL, OURS, AUTO = "GatedLWCal", "LWCal", "NoiseAware", "Auto"
CLEAN_ISOTONIC, CLEAN_PLATT = "Isotonic on clean labels", "Platt on clean labels"
AUDITED = {method.checked: method.name for method in methods.AUDITED}
NEEDED = {RAW, GATED, LWCAL, OURS, AUTO, CLEAN_ISOTONIC, CLEAN_PLATT, "Isotonic", "Platt"}


class Target(NamedTuple):
    """A ratio of means that must not exceed a limit."""

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


def _gap_left(ours: str) -> Callable[[pd.DataFrame], float]:
    def measure(frame: pd.DataFrame) -> float:
        sums = frame.groupby(["task", "contender"])["nll"].mean().groupby("contender").sum()
        return float((sums[ours] - sums[CLEAN_PLATT]) / (sums[RAW] - sums[CLEAN_PLATT]))

    return measure


def _wrong_verdicts(ours: str, indifferent: float) -> Callable[[pd.DataFrame], float]:
    """Share of verdicts against the sign of the true gain, if it is large enough to matter."""

    def measure(frame: pd.DataFrame) -> float:
        cell = ["task", "learner", "kind", "strength", "seed"]
        audited = frame[frame["contender"] == ours].set_index(cell)
        raw = frame[frame["contender"] == RAW].set_index(cell)["nll"]
        gain = 1.0 - audited["nll"] / raw
        wrong = (audited["verdict"] == "deploy") != (gain > 0)
        judged = audited["verdict"] != ""
        return float((wrong & (gain.abs() >= indifferent))[judged].mean())

    return measure


def _lost_auc(frame: pd.DataFrame) -> float:
    auc = frame.pivot_table(
        index=["task", "learner", "kind", "strength", "seed"], columns="contender", values="auc"
    )
    return float((auc[RAW] - auc[OURS]).abs().max())


TARGETS = (
    Target("paper", "log loss of NoiseAware / Gated-LWCal", 0.88, _ratio("nll", OURS, GATED)),
    Target("paper", "Brier score of NoiseAware / Gated-LWCal", 0.92, _ratio("brier", OURS, GATED)),
    Target(
        "paper",
        "Brier score of NoiseAware / isotonic oracle",
        1.06,
        _ratio("brier", OURS, CLEAN_ISOTONIC),
    ),
    Target("paper", "ECE of NoiseAware / LWCal", 1.0, _ratio("ece", OURS, LWCAL)),
    Target("paper", "ECE of NoiseAware / Gated-LWCal", 0.90, _ratio("ece", OURS, GATED)),
    Target("paper", "largest difference in AUC, NoiseAware and raw", 1e-4, _lost_auc),
    Target(
        "paper-clean", "log loss of NoiseAware / isotonic", 1.0, _ratio("nll", OURS, "Isotonic")
    ),
    Target("paper-clean", "log loss of NoiseAware / Platt", 1.0, _ratio("nll", OURS, "Platt")),
    Target("real", "log loss of NoiseAware / raw", 0.92, _ratio("nll", OURS, RAW)),
    Target("real", "log loss of NoiseAware / Gated-LWCal", 0.90, _ratio("nll", OURS, GATED)),
    Target("real-clean", "log loss of NoiseAware / Platt", 1.03, _ratio("nll", OURS, "Platt")),
    Target("natural", "log loss of NoiseAware / raw", 0.97, _ratio("nll", OURS, RAW)),
    Target("natural", "log loss of Auto / raw", 0.97, _ratio("nll", AUTO, RAW)),
    Target("natural", "log loss of Auto / raw, worst task", 1.10, _worst_task(AUTO, RAW)),
    Target("natural", "remaining gap with 25 checked labels", 0.25, _gap_left(AUDITED[25])),
    Target("natural", "remaining gap with 50 checked labels", 0.15, _gap_left(AUDITED[50])),
    Target("natural", "remaining gap with 100 checked labels", 0.08, _gap_left(AUDITED[100])),
    Target(
        "natural",
        "log loss / raw, worst task, 50 checked labels",
        1.02,
        _worst_task(AUDITED[50], RAW),
    ),
    *(
        Target(suite, f"wrong verdicts with 25 checked labels{but}", 0.05, measure)
        for suite in ("paper", "paper-clean", "real", "real-clean", "natural")
        for but, measure in (
            (", by the sign of the gain", _wrong_verdicts(AUDITED[25], 0.0)),
            (", unless the gain is below 1%", _wrong_verdicts(AUDITED[25], 0.01)),
        )
    ),
)


def measured_targets(frame: pd.DataFrame) -> Iterator[tuple[Target, float]]:
    """Measure every target whose suite was run, as means over the cells of judged tasks.

    Nothing is measured unless all methods of the targets are there.
    """
    if not set(frame["contender"]) >= NEEDED | set(AUDITED.values()):
        return
    judged = frame[frame["part"] == "judged"].astype(
        {"nll": "float64", "brier": "float64", "ece": "float64", "auc": "float64"}
    )
    for target in TARGETS:
        cells = judged[judged["suite"] == target.suite]
        measured = target.measure(cells) if len(cells) else nan
        if not isnan(measured):
            yield target, measured


def target_rows(frame: pd.DataFrame) -> list[list[str]]:
    """One row per target: suite, quantity, limit, measured value and verdict."""
    return [
        [
            target.suite,
            target.what,
            f"at most {target.limit:g}",
            f"{measured:.3f}",
            "met" if measured <= target.limit else "**missed**",
        ]
        for target, measured in measured_targets(frame)
    ]
