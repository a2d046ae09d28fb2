"""Estimate from checked rows how many labels of several classes are wrong, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.audit.reliability import to_json_types
from lwcal.errors import InputError
from lwcal.estimates import Estimate, whole_percent
from lwcal.multiclass.checked_classes import as_true_classes
from lwcal.numerics.shares import jeffreys_interval
from lwcal.rows import ArrayLike, as_chances, check_same_length
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.probabilities import as_class_scores
from lwcal.rows.values import as_column

NO_CHECKS = "No label is checked. Enter checked labels in y_audited."


class WrongPair(NamedTuple):
    """Checked rows of one true class that have the same wrong label.

    Attributes
    ----------
    true, label : any
        The classes.
    rows : int
        Number of checked rows with this true class and this label.
    of : int
        Number of checked rows with this true class.
    share : Estimate
        Share of this label among all rows of the true class.
    """

    true: Any
    label: Any
    rows: int
    of: int
    share: Estimate


@dataclass(frozen=True)
class ClassAuditEstimates:
    """What the checked rows of several classes say about all rows, without any model.

    Attributes
    ----------
    checked, wrong : int
        Number of checked rows, and of wrong labels among them.
    wrong_share : Estimate
        Share of wrong labels among all rows.
    pairs : tuple of WrongPair
        Wrong labels among the checked rows, the most frequent first.
    confidence : float
        Level of the interval.
    """

    checked: int
    wrong: int
    wrong_share: Estimate
    pairs: tuple[WrongPair, ...]
    confidence: float

    @property
    def sentence(self) -> str:
        """The estimate in plain words."""
        labels = "label was" if self.checked == 1 else "labels were"
        low, high = map(whole_percent, self.wrong_share[1:])
        return (
            f"{self.wrong:,} of {self.checked:,} checked {labels} wrong. Between "
            f"{low} and {high} of all labels are wrong."
        )

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything as types that JSON can represent."""
        pairs = [{**pair._asdict(), "share": pair.share.to_dict()} for pair in self.pairs]
        return {**to_json_types(asdict(self)), "pairs": pairs, "sentence": self.sentence}


def estimate_from_checked_classes(
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None,
    *,
    confidence: float,
    classes: Sequence[Any] | None,
) -> ClassAuditEstimates:
    """Estimate from rows of several classes; see :func:`lwcal.audit.estimate_from_audit`."""
    found = as_class_scores(scores)
    n, k = found.values.shape
    column = as_column(y, "y")
    check_same_length(n, len(column), "y")
    labels, known = as_class_labels(column, k, classes=classes, names=found.names)
    truths, is_checked = as_true_classes(y_audited, n, known)
    if not is_checked.any():
        raise InputError(NO_CHECKS)
    chances = (
        np.ones(int(is_checked.sum()))
        if audit_probability is None
        else as_chances(audit_probability, is_checked)
    )
    sample = _Sample(truths[is_checked], labels[is_checked], 1.0 / chances, n, confidence)
    is_wrong = sample.truths != sample.labels
    return ClassAuditEstimates(
        checked=len(is_wrong),
        wrong=int(is_wrong.sum()),
        wrong_share=share_of_all(is_wrong, sample.weights, sample.part, confidence),
        pairs=tuple(sample.pair(*codes, known) for codes in sample.wrong_pairs()),
        confidence=confidence,
    )


class _Sample(NamedTuple):
    """Checked rows, with the number of all rows they were chosen from."""

    truths: IndexArray
    labels: IndexArray
    weights: FloatArray
    n: int
    confidence: float

    @property
    def part(self) -> float:
        """Share of all rows that is checked."""
        return len(self.labels) / self.n

    def wrong_pairs(self) -> list[tuple[int, int]]:
        """Columns of true classes and wrong labels, the most frequent pairs first."""
        codes = zip(self.truths.tolist(), self.labels.tolist(), strict=True)
        counts = Counter(pair for pair in codes if pair[0] != pair[1])
        return sorted(counts, key=lambda pair: (-counts[pair], pair))

    def pair(self, true: int, label: int, classes: tuple[Any, ...]) -> WrongPair:
        of_class = self.truths == true
        found = self.labels[of_class] == label
        share = share_of_all(found, self.weights[of_class], self.part, self.confidence)
        return WrongPair(classes[true], classes[label], int(found.sum()), len(found), share)


def share_of_all(
    found: BoolArray, weights: FloatArray, part: float, confidence: float = 0.9
) -> Estimate:
    """Estimate a share of all rows from a random sample of them, with Jeffreys' interval.

    Parameters
    ----------
    found : bool array
        Whether each row of the sample counts.
    weights : float64 array
        Number of rows that each row of the sample stands for, up to a factor.
    part : float
        Share of all rows that is in the sample. The larger it is, the less is unknown.
    confidence : float
        Level of the interval.

    Examples
    --------
    >>> found = np.arange(50) < 7
    >>> print(f"{share_of_all(found, np.ones(50), 0.0):.0%}")
    14% (7% to 24%)
    >>> print(f"{share_of_all(found, np.ones(50), 1.0):.0%}")
    14% (14% to 14%)
    """
    value = float(weights[found].sum() / weights.sum())
    if part >= 1.0:
        return Estimate(value, value, value)
    size = float(weights.sum() ** 2 / (weights @ weights)) / (1.0 - part)
    low, high = jeffreys_interval(value * size, size, confidence)
    # an interval that begins or ends at a share that was observed as 0 or 1 holds it
    return Estimate(value, min(float(low), value), max(float(high), value))
