"""The verdict about rows of several classes: the same levels as for two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from lwcal.estimates import Estimate
from lwcal.monitoring.grading import (
    ALPHA,
    LEVELS,
    THRESHOLDS,
    DriftTest,
    LabelEvidence,
    Level,
    level_by_labels,
    level_of,
)
from lwcal.monitoring.statistics import Found, holm
from lwcal.monitoring.telling import Telling
from lwcal.monitoring.verdict import CONFIDENCE, drift_sentence, thresholds_of, verdict_of

MOST_NAMED = 3
"""Changes that the sentence names."""
WORDS = {
    "scores": "the distribution of the highest scores changed (PSI {0:.2f})",
    "disagreement": "the share of labels that contradict the model changed by {0:+.1%}",
    "labels": "the share of labels that confirm the highest score changed by {0:.1%} (their odds "
    "by a factor of {1:.2f})",
}
CLASS_WORDS = {
    "scores": "the distribution of the scores of {2!r} changed (PSI {0:.2f})",
    "labels": "the share of labels {2!r} at equal scores changed by {0:.1%} (their odds by a "
    "factor of {1:.2f})",
}


class Compared(NamedTuple):
    """What a test found, and what it looked at.

    Attributes
    ----------
    name : {"scores", "disagreement", "labels"}
    label : any
        The class; None for the highest score of every row.
    found : Found
    """

    name: str
    label: Any
    found: Found


@dataclass(frozen=True)
class ClassDriftTest(DriftTest):
    """One comparison of new rows with those of the fit; see :class:`DriftTest`.

    Attributes
    ----------
    label : any
        The class whose scores and labels were compared; None for the highest score of every row,
        and whether the label is its class.
    """

    label: Any = None

    @property
    def words(self) -> str:
        """What changed, and by how much."""
        words = WORDS if self.label is None else CLASS_WORDS
        return words[self.name].format(self.effect, self.odds_ratio, self.label)


@dataclass(frozen=True)
class ClassSnapshot:
    """Summary of some rows of several classes. Without labels only their number is known.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    shares : tuple of float or None
        Share of the labels of each class.
    d : float or None
        Disagreement: share of the labels that are not the class of the highest score.
    nll, top_label_ece : Estimate or None
        Log loss, and calibration error of the most probable class, of the calibrated
        probabilities. With the noise matrix that the fit expected, they are corrected for wrong
        labels; its uncertainty is not in the intervals. None also if that matrix has no inverse,
        and where labels at equal scores changed: their noise may have changed.
    """

    n: float
    shares: tuple[float, ...] | None
    d: float | None
    nll: Estimate | None
    top_label_ece: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON supports."""
        estimates = {"nll": self.nll, "top_label_ece": self.top_label_ece}
        return {
            "n": self.n,
            "shares": None if self.shares is None else list(self.shares),
            "d": self.d,
            **{name: None if one is None else one.to_dict() for name, one in estimates.items()},
        }


@dataclass(frozen=True)
class ClassMonitoring:
    """Comparison of new rows of several classes with those of the fit.

    Attributes
    ----------
    classes : tuple
        The classes, in the order of the shares.
    fitted, new : ClassSnapshot
        The rows of the fit, from the stored histograms, and the new rows.
    tests : tuple of ClassDriftTest
        Of the highest score of every row, and of each class.
    telling : Telling
        Whether the labels could have shown a change of how often the highest score is right.
    confidence : float
        Level of the intervals in both snapshots.
    """

    classes: tuple[Any, ...]
    fitted: ClassSnapshot
    new: ClassSnapshot
    tests: tuple[ClassDriftTest, ...]
    telling: Telling
    confidence: float = CONFIDENCE

    @property
    def verdict(self) -> Level:
        """The most serious level of any test; "cannot tell" if none could have found a change."""
        return verdict_of(self.tests, self.telling)

    @property
    def changed(self) -> tuple[ClassDriftTest, ...]:
        """Tests that found drift: the most serious first, then the largest effect."""
        found = [test for test in self.tests if test.level != LEVELS[0]]
        return tuple(sorted(found, key=_seriousness, reverse=True))

    @property
    def sentence(self) -> str:
        """The verdict and its main reasons in one sentence."""
        reasons = [test.words for test in self.changed[:MOST_NAMED]]
        more = len(self.changed) - MOST_NAMED
        if more > 0:
            reasons.append(f"{more:,} other comparison{'s' if more > 1 else ''} found drift")
        return drift_sentence(self.tests, self.new.n, reasons, self.telling)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON supports."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "classes": list(self.classes),
            "fitted": self.fitted.to_dict(),
            "new": self.new.to_dict(),
            "tests": [asdict(test) for test in self.tests],
            "telling": self.telling._asdict(),
            "alpha": ALPHA,
            "confidence": self.confidence,
            "thresholds": thresholds_of(self.tests),
        }


def judge_classes(
    compared: Sequence[Compared], *, enough_rows: bool = False
) -> tuple[ClassDriftTest, ...]:
    """Adjust the p-values for all classes, and grade each test.

    Parameters
    ----------
    compared : sequence of Compared
    enough_rows : bool
        Whether there are as many new rows with labels as the fit had.

    Examples
    --------
    >>> found = Found(30.0, 0.004, 0.3)
    >>> judge_classes([Compared("scores", label, found) for label in "abc"])[0].level
    'no drift'
    """
    adjusted = holm([one.found.p_value for one in compared])
    pairs = list(zip(compared, adjusted, strict=True))
    labels = {
        one.label: LabelEvidence.of(
            one.found, [level_of("labels", p, one.found)], enough_rows=enough_rows
        )
        for one, p in pairs
        if one.name == "labels"
    }
    return tuple(
        ClassDriftTest(
            name,
            found.statistic,
            found.p_value,
            p,
            found.effect,
            level_by_labels(name, level_of(name, p, found), labels.get(label)),
            found.power,
            found.odds_ratio,
            label=label,
        )
        for (name, label, found), p in pairs
    )


def labels_changed(tests: Sequence[ClassDriftTest]) -> bool:
    """Whether labels at equal scores changed, so that the noise of the fit may not be theirs."""
    return any(test.name == "labels" and test.level != LEVELS[0] for test in tests)


def _seriousness(test: ClassDriftTest) -> tuple[int, float]:
    """Effects of different tests are compared in units of their thresholds."""
    return LEVELS.index(test.level), abs(test.effect) / THRESHOLDS[test.name].refit
