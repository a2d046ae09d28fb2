"""Cross-fitting with several classes: predictions for rows that a calibrator did not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.crossfit import FOLDS
from lwcal.multiclass.class_rows import ClassRows


class ClassCrossFitted(NamedTuple):
    """Rows and their out-of-fold predictions, in the order of the rows."""

    scores: FloatArray
    predicted: FloatArray
    labels: IndexArray
    weights: FloatArray


def cross_predict_classes(
    make: Callable[[], ClassCalibrator], rows: ClassRows, folds: int = FOLDS
) -> ClassCrossFitted:
    """Predict each fold by a calibrator fitted to the other folds.

    Rows are dealt to the folds in their own order, class by class. So every fold has the same mix
    of labels, and nothing is random. A fold is predicted by the raw scores if the rest has one
    class.

    Examples
    --------
    >>> from lwcal.calibrators import Temperature
    >>> rows = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.2, 0.7, 0.1]] * 10, [0, 1, 2, 2] * 5)
    >>> cross_predict_classes(Temperature, rows).predicted.shape
    (4, 3)
    """
    predicted = rows.scores.copy()
    fold = np.arange(len(rows.labels)) % folds
    for number in range(folds):
        rest, test = fold != number, fold == number
        if test.any() and len(np.unique(rows.labels[rest])) > 1:
            fitted = make().fit_rows(rows.part(rest))
            predicted[test] = fitted.map_.apply_unchecked(rows.scores[test])
    return ClassCrossFitted(rows.scores, predicted, rows.labels, rows.weights)
