"""Cross-fitting with several classes: predictions for rows that a calibrator did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.crossfit import FOLDS, dealt
from lwcal.class_maps import ClassMap
from lwcal.multiclass.checked_classes import CheckedClasses
from lwcal.multiclass.class_rows import ClassRows
from lwcal.score_map import ClassScoreMap


class ClassCrossFitted(NamedTuple):
    """Rows and their out-of-fold predictions, in the same order for every calibrator."""

    scores: FloatArray
    predicted: FloatArray
    labels: IndexArray
    weights: FloatArray


def cross_predict_classes(
    make: Callable[[], ClassCalibrator], rows: ClassRows, folds: int = FOLDS
) -> ClassCrossFitted:
    """Predict each fold by a calibrator fitted to the other folds.

    Rows are dealt to the folds in their own order, class by class. So every fold has the same mix
    of labels, and nothing is random.

    Examples
    --------
    >>> from lwcal.calibrators import Temperature
    >>> rows = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.2, 0.7, 0.1]] * 10, [0, 1, 2, 2] * 5)
    >>> cross_predict_classes(Temperature, rows).weights.sum()
    np.float64(20.0)
    """
    found = cross_predict_maps(
        lambda part: {"": make().fit_rows(part).class_score_map()}, rows, folds
    )
    return found[""]


def cross_predict_maps(
    fit: Callable[[ClassRows], Mapping[str, ClassMap | ClassScoreMap]],
    rows: ClassRows,
    folds: int = FOLDS,
) -> dict[str, ClassCrossFitted]:
    """Predict each fold by maps that were fitted together to the other folds.

    Parameters
    ----------
    fit : callable
        Takes rows, and returns maps by name.
    rows : ClassRows
    folds : int
    """
    parts = _parts(rows, folds)
    predicted = [
        {name: one.apply_unchecked(test.scores) for name, one in fit(train).items()}
        for train, test in parts
    ]
    columns = zip(*((test.scores, test.labels, test.weights) for _, test in parts), strict=True)
    scores, labels, weights = (np.concatenate(column) for column in columns)
    return {
        name: ClassCrossFitted(
            scores, np.concatenate([part[name] for part in predicted]), labels, weights
        )
        for name in predicted[0]
    }


def cross_predict_checked(
    fit: Callable[[ClassRows, CheckedClasses], ClassMap],
    rows: ClassRows,
    checked: CheckedClasses,
    folds: int = FOLDS,
) -> tuple[ClassCrossFitted, ClassCrossFitted]:
    """Predict each fold by maps that saw neither its labels nor its checked labels.

    Parameters
    ----------
    fit : callable
        Takes rows and checked rows, and returns a map.
    rows : ClassRows
    checked : CheckedClasses
    folds : int

    Returns
    -------
    rows, checked : ClassCrossFitted
        The labels of the checked rows are their true classes.
    """
    parts = _parts(rows, folds)
    of_rows, of_checked = [], []
    for fold, (train, test) in enumerate(parts):
        inside = dealt(checked.weights, fold, len(parts))
        found = fit(train, checked.weighted(checked.weights - inside))
        held = checked.weighted(inside)
        columns = (test.scores, found.apply_unchecked(test.scores), test.labels, test.weights)
        of_rows.append(columns)
        predicted = found.apply_unchecked(held.scores)
        of_checked.append((held.scores, predicted, held.truths, held.weights))
    return _joined(of_rows), _joined(of_checked)


def _joined(
    parts: list[tuple[FloatArray, FloatArray, IndexArray, FloatArray]],
) -> ClassCrossFitted:
    return ClassCrossFitted(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _parts(rows: ClassRows, folds: int) -> list[tuple[ClassRows, ClassRows]]:
    """Rows to fit to, and rows to predict; rows of which none can be left out judge themselves."""
    return list(split_classes(rows, folds)) or [(rows, rows)]


def split_classes(rows: ClassRows, folds: int) -> Iterator[tuple[ClassRows, ClassRows]]:
    """Deal rows to folds; yield the rest of the rows with each fold.

    A fold is skipped if the rest would have one class only.
    """
    for fold in range(folds):
        inside = dealt(rows.weights, fold, folds)
        rest, test = _weighted(rows, rows.weights - inside), _weighted(rows, inside)
        if len(test.labels) and len(np.unique(rest.labels)) > 1:
            yield rest, test


def _weighted(rows: ClassRows, weights: FloatArray) -> ClassRows:
    return replace(rows, weights=weights).part(weights > 0.0)
