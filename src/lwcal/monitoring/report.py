"""From tests to a verdict: no drift, watch, or refit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from lwcal.metrics import Corrected
from lwcal.monitoring.statistics import Found, holm

Level: TypeAlias = Literal["no drift", "watch", "refit"]
LEVELS: tuple[Level, ...] = ("no drift", "watch", "refit")

ALPHA = 0.01
"""Level of the adjusted p-values: a batch a day raises a false alarm of any size every 100 days."""


class Thresholds(NamedTuple):
    """Sizes of an effect from which on a significant test says "watch", and "refit"."""

    watch: float
    refit: float


THRESHOLDS: dict[str, Thresholds] = {
    "scores": Thresholds(0.1, 0.25),
    "disagreement": Thresholds(0.03, 0.08),
    "labels": Thresholds(0.05, 0.1),
}
"""For the PSI those in common use; d opens the whole gate over 0.12, so 0.08 is most of it; a
change of 0.1 in what labels say at a score is the size of the errors that calibrators repair."""

WORDS = {
    "scores": "the distribution of the scores moved (PSI {0:.2f})",
    "disagreement": "the share of labels that contradict the model changed by {0:+.1%}",
    "labels": "labels at equal scores changed by {0:.1%}",
}


@dataclass(frozen=True)
class DriftTest:
    """One comparison of new rows with those of the fit.

    Attributes
    ----------
    name : {"scores", "disagreement", "labels"}
        What is compared.
    statistic, p_value : float
    p_adjusted : float
        After Holm, over all tests of the batch.
    effect : float
        PSI of the scores; change of d; root mean square change of the share of positive labels
        at equal scores. The first and last are less what chance is expected to add.
    level : {"no drift", "watch", "refit"}
    """

    name: str
    statistic: float
    p_value: float
    p_adjusted: float
    effect: float
    level: Level


@dataclass(frozen=True)
class Snapshot:
    """What some rows are like; without labels only their number is known.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    base_rate, d, rho : float or None
        Share of positive labels, share of labels that contradict the model, and the gate for it.
    ece : Corrected or None
        Calibration error of the calibrated probabilities against these labels, noise and all: a
        calibrator that corrects for noise has one by design, and its change is what matters.
    """

    n: float
    base_rate: float | None
    d: float | None
    rho: float | None
    ece: Corrected | None


@dataclass(frozen=True)
class Monitoring:
    """New rows against those of the fit.

    Attributes
    ----------
    fitted, new : Snapshot
        The rows of the fit, by its stored histogram, and the new ones.
    tests : tuple of DriftTest
    """

    fitted: Snapshot
    new: Snapshot
    tests: tuple[DriftTest, ...]

    @property
    def verdict(self) -> Level:
        """The worst level of any test."""
        return max((test.level for test in self.tests), key=LEVELS.index)

    @property
    def sentence(self) -> str:
        """Say it in plain words."""
        moved = [
            WORDS[test.name].format(test.effect) for test in self.tests if test.level != LEVELS[0]
        ]
        lead = {"no drift": "No drift", "watch": "Watch", "refit": "Refit the calibrator"}
        rows = f"{self.new.n:,} new row{'s' if self.new.n != 1 else ''}"
        if not moved:
            look = "look" if self.new.n != 1 else "looks"
            return f"{lead[self.verdict]}: {rows} {look} like those of the fit."
        return f"{lead[self.verdict]}: in {rows} {' and '.join(moved)}."

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "fitted": _plain(self.fitted),
            "new": _plain(self.new),
            "tests": [vars(test).copy() for test in self.tests],
            "alpha": ALPHA,
            "thresholds": {test.name: THRESHOLDS[test.name]._asdict() for test in self.tests},
        }


def judge(found: Mapping[str, Found]) -> tuple[DriftTest, ...]:
    """Adjust the p-values for each other, and ask for significance and an effect.

    >>> judge({"scores": Found(400.0, 1e-9, 0.02)})[0].level  # a trifle in many rows
    'no drift'
    """
    adjusted = holm([test.p_value for test in found.values()])
    return tuple(
        DriftTest(name, test.statistic, test.p_value, p, test.effect, _level(name, p, test.effect))
        for (name, test), p in zip(found.items(), adjusted, strict=True)
    )


def _level(name: str, p_adjusted: float, effect: float) -> Level:
    if p_adjusted >= ALPHA:
        return "no drift"
    return LEVELS[sum(abs(effect) >= threshold for threshold in THRESHOLDS[name])]


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    ece = None if snapshot.ece is None else vars(snapshot.ece).copy()
    return {**vars(snapshot), "ece": ece}
