"""Find labels that are probably wrong, and filter or flip them before a calibrator is fitted.

This is the rule of confident learning (Northcutt, Jiang and Chuang, 2021) for two classes. A row
counts for a class if the score of that class reaches the mean score that the class has among the
rows with its label. A row that counts for the other class is suspected.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

Repair: TypeAlias = Literal["filter", "flip"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)
ROUNDING = 1e-6
"""A score this far below the mean still reaches it: the mean of equal scores is rounded."""


def suspected(scores: Any, labels: Any) -> npt.NDArray[np.bool_]:
    """Rows outside the diagonal of the confident joint.

    >>> suspected(np.array([0.1, 0.2, 0.9, 0.9, 0.8]), np.array([0, 0, 0, 1, 1]))
    array([False, False,  True, False, False])
    """
    positive = labels == 1
    reaches_positive = scores >= scores[positive].mean() - ROUNDING
    reaches_negative = 1 - scores >= (1 - scores)[~positive].mean() - ROUNDING
    counts_positive = reaches_positive & (~reaches_negative | (scores > 0.5))
    counts_negative = reaches_negative & (~reaches_positive | (scores < 0.5))
    found: npt.NDArray[np.bool_] = np.where(positive, counts_negative, counts_positive)
    return found


def repaired_rows(scores: Any, labels: Any, repair: Repair) -> tuple[Any, Any]:
    """Scores and labels without the suspected rows, or with their labels flipped."""
    wrong = suspected(scores, labels)
    if repair == "filter":
        return scores[~wrong], labels[~wrong]
    return scores, np.where(wrong, 1 - labels, labels)


class Cleaned(BaseEstimator):  # type: ignore[misc]  # no types in scikit-learn
    """A calibrator that is fitted after suspected labels were filtered or flipped.

    If only one class would remain, every label stays as it is.
    """

    def __init__(self, calibrator: Any, repair: Repair) -> None:
        self.calibrator = calibrator
        self.repair = repair

    def fit(self, scores: Any, labels: Any) -> Self:
        """Repair the labels and fit the calibrator to them."""
        kept, repaired = repaired_rows(scores, labels, self.repair)
        both = len(np.unique(repaired)) == 2
        self.calibrator.fit(*((kept, repaired) if both else (scores, labels)))
        return self

    def predict(self, scores: Any) -> npt.NDArray[np.float64]:
        """Calibrated probabilities."""
        found: npt.NDArray[np.float64] = self.calibrator.predict(scores)
        return found
