"""Turn the tests into a verdict: no drift, watch, or refit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from lwcal.estimates import Estimate
from lwcal.monitoring.statistics import Found, holm

Level: TypeAlias = Literal["no drift", "watch", "refit"]
LEVELS: tuple[Level, ...] = ("no drift", "watch", "refit")

ALPHA = 0.01
"""Significance level. One batch a day gives one significant result by chance in 100 days."""
CONFIDENCE = 0.9
"""Level of the intervals of the calibration errors."""


class Thresholds(NamedTuple):
    """Effect sizes at which a significant test says "watch" and "refit"."""

    watch: float
    refit: float


THRESHOLDS: dict[str, Thresholds] = {
    "scores": Thresholds(0.1, 0.25),
    "disagreement": Thresholds(0.03, 0.08),
    "labels": Thresholds(0.05, 0.1),
}
"""The thresholds of the PSI are those in common use. The gate opens completely over a range of
0.12 in the disagreement d, and 0.08 is most of it. A change of 0.1 in the share of positives at
equal scores is about as large as the errors that calibrators repair."""

WORDS = {
    "scores": "the distribution of the scores changed (PSI {0:.2f})",
    "disagreement": "the share of labels that contradict the model changed by {0:+.1%}",
    "labels": "the share of positive labels at equal scores changed by {0:.1%}",
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
        The p-value after Holm's correction for all tests of the batch.
    effect : float
        PSI of the scores, change of the disagreement, or root mean square change of the share of
        positive labels at equal scores. What chance is expected to add is subtracted from the
        first and the last.
    level : {"no drift", "watch", "refit"}
        What this test alone says.
    """

    name: str
    statistic: float
    p_value: float
    p_adjusted: float
    effect: float
    level: Level


@dataclass(frozen=True)
class Snapshot:
    """Summary of some rows. Without labels only their number is known.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    base_rate : float or None
        Share of positive labels.
    d : float or None
        Share of labels that contradict the model's decision.
    rho : float or None
        Share of the raw score that the gate keeps at this d.
    ece : Estimate or None
        Calibration error of the calibrated probabilities against these labels, which can be
        wrong. A calibrator that corrects for noise has such an error by design, so only its
        change matters.
    """

    n: float
    base_rate: float | None
    d: float | None
    rho: float | None
    ece: Estimate | None


@dataclass(frozen=True)
class Monitoring:
    """Comparison of new rows with those of the fit.

    Attributes
    ----------
    fitted, new : Snapshot
        The rows of the fit, from the stored histogram, and the new rows.
    tests : tuple of DriftTest
    confidence : float
        Level of the intervals in both snapshots.
    """

    fitted: Snapshot
    new: Snapshot
    tests: tuple[DriftTest, ...]
    confidence: float = CONFIDENCE

    @property
    def verdict(self) -> Level:
        """The most serious level of any test."""
        return worst_level(self.tests)

    @property
    def sentence(self) -> str:
        """The verdict and its reasons in one sentence."""
        changed = [
            WORDS[test.name].format(test.effect) for test in self.tests if test.level != LEVELS[0]
        ]
        return drift_sentence(self.verdict, self.new.n, changed)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON supports."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "fitted": _plain(self.fitted),
            "new": _plain(self.new),
            "tests": [vars(test).copy() for test in self.tests],
            "alpha": ALPHA,
            "confidence": self.confidence,
            "thresholds": {test.name: THRESHOLDS[test.name]._asdict() for test in self.tests},
        }


def worst_level(tests: Iterable[DriftTest]) -> Level:
    """The most serious level of any test."""
    return max((test.level for test in tests), key=LEVELS.index)


def drift_sentence(verdict: Level, n: float, changed: Sequence[str]) -> str:
    """The verdict and its reasons in one sentence.

    >>> drift_sentence("no drift", 1, [])
    'No drift: 1 new row looks like those of the fit.'
    """
    rows = f"{n:,} new row{'s' if n != 1 else ''}"
    if not changed:
        return f"No drift: {rows} {'look' if n != 1 else 'looks'} like those of the fit."
    lead = {"watch": "Watch", "refit": "Refit the calibrator"}[verdict]
    return f"{lead}: in {rows} {' and '.join(changed)}."


def judge(found: Mapping[str, Found]) -> tuple[DriftTest, ...]:
    """Adjust the p-values, and grade each test by significance and effect size.

    Examples
    --------
    >>> judge({"scores": Found(400.0, 1e-9, 0.02)})[0].level  # significant, but a small effect
    'no drift'
    """
    adjusted = holm([test.p_value for test in found.values()])
    return tuple(
        DriftTest(
            name, test.statistic, test.p_value, p, test.effect, level_of(name, p, test.effect)
        )
        for (name, test), p in zip(found.items(), adjusted, strict=True)
    )


def level_of(name: str, p_adjusted: float, effect: float) -> Level:
    """Grade a test by its significance and its effect size."""
    if p_adjusted >= ALPHA:
        return "no drift"
    return LEVELS[sum(abs(effect) >= threshold for threshold in THRESHOLDS[name])]


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    ece = None if snapshot.ece is None else snapshot.ece.to_dict()
    return {**vars(snapshot), "ece": ece}
