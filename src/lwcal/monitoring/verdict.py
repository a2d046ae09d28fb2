"""Turn the tests into a verdict: no drift, watch, check labels, or refit.

A calibrator says how often rows of equal scores are positive. Only labels tell whether that still
holds; other scores, or other cases, do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lwcal.estimates import Estimate
from lwcal.monitoring.grading import (
    ALPHA,
    LABEL_ODDS,
    LABEL_TESTS,
    LEVELS,
    THRESHOLDS,
    DriftTest,
    Level,
)
from lwcal.monitoring.telling import Telling

CONFIDENCE = 0.9
"""Level of the intervals of the calibration errors."""
LEAST_PSI = 0.005
"""Smaller changes of the scores are not named: their index would be written as 0.00."""
STILL_HOLDS = "Labels at equal scores did not change, so the calibrator still holds."
CHANGED_A_LITTLE = "Labels changed, too little for an alarm: the calibrator is off there."
FOLLOWS = "A refit follows the new labels: if they may have become worse, check some first."
NO_LABELS = "Scores do not tell whether the calibrator still holds."
TOO_FEW = "These labels are too few to tell whether the calibrator still holds."


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
    telling : Telling
        Whether the new rows could have shown a change, and how many would.
    confidence : float
        Level of the intervals in both snapshots.
    other_base_rate : str
        Says that the calibrator was corrected for another base rate than that of the new rows.
    """

    fitted: Snapshot
    new: Snapshot
    tests: tuple[DriftTest, ...]
    telling: Telling
    confidence: float = CONFIDENCE
    other_base_rate: str = ""

    @property
    def verdict(self) -> Level:
        """The most serious level of any test; "cannot tell" if none could have found a change."""
        return verdict_of(self.tests, self.telling)

    @property
    def sentence(self) -> str:
        """The verdict and its reasons in one sentence."""
        changed = [test.words for test in self.tests if test.level != LEVELS[0]]
        found = drift_sentence(self.tests, self.new.n, changed, self.telling)
        return f"{found} {self.other_base_rate}".rstrip()

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON supports."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "fitted": _plain(self.fitted),
            "new": _plain(self.new),
            "tests": [asdict(test) for test in self.tests],
            "telling": self.telling._asdict(),
            "alpha": ALPHA,
            "confidence": self.confidence,
            "thresholds": thresholds_of(self.tests),
        }


def thresholds_of(tests: Iterable[DriftTest]) -> dict[str, dict[str, float]]:
    """The thresholds of each test, and of the odds of labels."""
    found = {test.name: THRESHOLDS[test.name]._asdict() for test in tests}
    return {**found, "label_odds": LABEL_ODDS._asdict()} if "labels" in found else found


def worst_level(tests: Iterable[DriftTest]) -> Level:
    """The most serious level of any test."""
    return max((test.level for test in tests), key=LEVELS.index)


def verdict_of(tests: Iterable[DriftTest], telling: Telling) -> Level:
    """The most serious level; "cannot tell" where nothing was found, and could not have been."""
    worst = worst_level(tests)
    return "cannot tell" if worst == "no drift" and not telling.is_enough else worst


def drift_sentence(
    tests: Sequence[DriftTest], n: float, changed: Sequence[str], telling: Telling
) -> str:
    """The verdict, its reasons, and what labels say.

    >>> from lwcal.monitoring.grading import judge
    >>> from lwcal.monitoring.statistics import Found
    >>> tests = judge({"scores": Found(0.1, 0.9, 0.0)})
    >>> drift_sentence(tests, 1, [], Telling(0, None, 1400))
    'Cannot tell: 1 new row without labels is too few. About 1,400 rows with labels would tell.'
    """
    if not changed:
        return telling.quiet_sentence(n, _slight(tests, ("scores",)), _slight(tests, LABEL_TESTS))
    rows = f"{n:,} new row{'s' if n != 1 else ''}"
    verdict = worst_level(tests)
    lead = {
        "watch": "Watch",
        "check labels": "Check labels of new rows",
        "refit": "Refit the calibrator",
    }[verdict]
    parts = [f"{lead}: in {rows} {' and '.join(changed)}."]
    if verdict == "check labels":
        parts += [TOO_FEW if telling.labelled else NO_LABELS, telling.advice]
    elif verdict == "refit":
        parts.append(FOLLOWS)
    elif verdict == "watch":
        parts.append(_what_labels_say(tests, telling))
    return " ".join(parts)


def _slight(tests: Sequence[DriftTest], names: Sequence[str]) -> str:
    """The main change in some tests that chance does not explain, and that is no alarm.

    All labels together say more than one group of scores.
    """
    found = [
        one
        for one in tests
        if one.name in names
        and one.p_adjusted < ALPHA
        and (one.name != "scores" or one.effect >= LEAST_PSI)
    ]
    return max(found, key=lambda one: (names.index(one.name), one.effect)).words if found else ""


def _what_labels_say(tests: Sequence[DriftTest], telling: Telling) -> str:
    """Whether the calibrator still holds, where nothing calls for a refit."""
    if any(test.level != "no drift" for test in tests if test.name in LABEL_TESTS):
        return CHANGED_A_LITTLE
    slight = _slight(tests, LABEL_TESTS)
    if slight:
        return f"Labels changed, too little for an alarm: {slight}."
    return STILL_HOLDS if telling.is_enough else f"{TOO_FEW} {telling.advice}"


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    ece = None if snapshot.ece is None else snapshot.ece.to_dict()
    return {**vars(snapshot), "ece": ece}
