"""Whether the scores of several classes go with their labels, and in which order of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.diagnosis.ranking import UNRELATED
from lwcal.estimates import Estimate
from lwcal.metrics.class_intervals import mean_interval
from lwcal.multiclass.class_rows import ClassRows

BETTER_ORDER = 0.1
"""Share of labels that another order of the columns has to explain, beyond the given order."""
NEXT_TO_NOTHING = 0.1
"""Share of the lift that the scores promise, from which downwards they are of no use."""


@dataclass(frozen=True)
class ClassRanking:
    """How the scores go with the labels as they are.

    Attributes
    ----------
    accuracy : Estimate
        Share of rows whose most probable class is the label.
    lift : Estimate
        How much higher the score of the label is than the average score of that class. Scores
        that say nothing about the labels have a lift of 0.
    promised : float
        The lift if the scores are right.
    surely : float
        Low end of the wider interval by which scores go with labels at all.
    is_constant : bool
        Whether every row has the same scores.
    better_order : tuple or None
        The classes in an order of the columns that explains clearly more labels; None if there is
        none.
    """

    accuracy: Estimate
    lift: Estimate
    promised: float
    surely: float
    is_constant: bool = False
    better_order: tuple[Any, ...] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the scores surely say next to nothing about the labels."""
        return self.lift.high < NEXT_TO_NOTHING * self.promised

    @property
    def is_doubtful(self) -> bool:
        """Whether the scores may say nothing at all about the labels, as if of other rows."""
        return self.surely <= 0.0

    @property
    def is_perfect(self) -> bool:
        """Whether the most probable class is the label in every row."""
        return self.accuracy.value > 1.0 - 1e-9  # a sum of shares can round below 1

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        order = self.better_order
        return {
            "accuracy": self.accuracy.to_dict(),
            "lift": self.lift.to_dict(),
            "promised": self.promised,
            "idle": self.is_idle,
            "doubtful": self.is_doubtful,
            "constant": self.is_constant,
            "perfect": self.is_perfect,
            "better_order": None if order is None else list(order),
        }


def rank_classes(rows: ClassRows, *, confidence: float = 0.9) -> ClassRanking:
    """Compare the most probable classes with the labels.

    Examples
    --------
    >>> scores = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]] * 20
    >>> rank_classes(ClassRows.from_arrays(scores, ["b", "c", "a"] * 20)).better_order
    ('b', 'c', 'a')
    """
    top = rows.scores.argmax(axis=1)
    average = np.einsum("n,nk->k", rows.weights / rows.n, rows.scores)
    of_label = rows.scores[np.arange(len(top)), rows.labels]
    lift = of_label - average[rows.labels]
    hits = mean_interval((top == rows.labels).astype(float), rows.weights, confidence)
    if_right = float(rows.weights @ (rows.scores**2).sum(axis=1) / rows.n - average @ average)
    return ClassRanking(
        Estimate(hits.value, max(hits.low, 0.0), min(hits.high, 1.0)),
        mean_interval(lift, rows.weights, confidence),
        if_right,
        mean_interval(lift, rows.weights, max(confidence, 1.0 - 2.0 * UNRELATED)).low,
        bool((rows.scores == rows.scores[0]).all()),
        _better_order(rows, top, hits.value),
    )


def _better_order(rows: ClassRows, top: Any, accuracy: float) -> tuple[Any, ...] | None:
    from scipy.optimize import linear_sum_assignment  # slow to import

    k = rows.n_classes
    counts = np.zeros((k, k))
    np.add.at(counts, (top, rows.labels), rows.weights)
    columns, labels = linear_sum_assignment(counts, maximize=True)
    if counts[columns, labels].sum() / rows.n < accuracy + BETTER_ORDER:
        return None
    return tuple(rows.classes[label] for label in labels)
