"""Cross-fitting: predictions for rows that a calibrator did not see, from pooled counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import Calibrator
from lwcal.calibrators.from_posterior import FromPosterior
from lwcal.maps import Map
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.table import ScoreTable

FOLDS = 5


def cross_fit(make: Callable[[], Calibrator], table: ScoreTable, folds: int = FOLDS) -> ScoreTable:
    """Pool the labels by out-of-fold predictions.

    Rows are dealt to the folds in the order of their scores, separately for each class. So every
    fold has the same mix of rows, and nothing is random.

    >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.3, 0.7, 0.8, 0.9] * 5, [0, 0, 0, 1, 1, 1] * 5)
    >>> from lwcal.calibrators import Isotonic
    >>> cross_fit(Isotonic, table).scores
    array([0., 1.])
    """
    found = cross_predict(make, table, folds)
    return ScoreTable.from_counts(found.predicted, found.negatives, found.positives)


class CrossFitted(NamedTuple):
    """Scores and their out-of-fold predictions, in the same order for every calibrator."""

    scores: FloatArray
    predicted: FloatArray
    negatives: FloatArray
    positives: FloatArray


def cross_predict(
    make: Callable[[], Calibrator], table: ScoreTable, folds: int = FOLDS
) -> CrossFitted:
    """Predict each fold by a calibrator fitted to the other folds; see :func:`cross_fit`."""
    return cross_predict_maps(lambda part: {"": make().fit_table(part).map_}, table, folds)[""]


def cross_predict_together(
    calibrators: Mapping[str, FromPosterior], table: ScoreTable, folds: int = FOLDS
) -> dict[str, CrossFitted]:
    """Predict each fold by calibrators with the same prior; its posterior is inferred once.

    Parameters
    ----------
    calibrators : dict of str to FromPosterior
        With valid parameters, and the same hypotheses. They are not changed.
    table : ScoreTable
    folds : int
    """
    hypotheses = next(iter(calibrators.values())).hypotheses()

    def fit(part: ScoreTable) -> dict[str, Map]:
        pooled = pool_by_logit(part)
        posterior = infer(pooled, hypotheses)
        return {name: one.fitted_to(posterior, pooled).map for name, one in calibrators.items()}

    return cross_predict_maps(fit, table, folds)


def cross_predict_maps(
    fit: Callable[[ScoreTable], Mapping[str, Map]], table: ScoreTable, folds: int = FOLDS
) -> dict[str, CrossFitted]:
    """Predict each fold by maps that were fitted together to the other folds."""
    # a class with a single row leaves no row out, so the rows judge themselves
    parts = list(split(table, folds)) or [(table, table)]
    predicted = [
        {name: one(test.scores) for name, one in fit(train).items()} for train, test in parts
    ]
    columns = zip(*((t.scores, t.negatives, t.positives) for _, t in parts), strict=True)
    scores, negatives, positives = (np.concatenate(column) for column in columns)
    return {
        name: CrossFitted(
            scores, np.concatenate([part[name] for part in predicted]), negatives, positives
        )
        for name in predicted[0]
    }


def split(table: ScoreTable, folds: int) -> Iterator[tuple[ScoreTable, ScoreTable]]:
    """Deal rows to folds; yield the rest of the table with each fold.

    A fold is skipped if the rest would lack a class.
    """
    for fold in range(folds):
        negatives = dealt(table.negatives, fold, folds)
        positives = dealt(table.positives, fold, folds)
        rest = _nonempty(table.scores, table.negatives - negatives, table.positives - positives)
        test = _nonempty(table.scores, negatives, positives)
        if len(test) and rest.n_negative > 0 and rest.n_positive > 0:
            yield rest, test


def dealt(counts: FloatArray, fold: int, folds: int) -> FloatArray:
    """Weight in one fold: every k-th row, or every k-th entry of fractional weights.

    >>> dealt(np.array([1.0, 3.0, 1.0]), fold=0, folds=5)
    array([0., 0., 1.])
    """
    if (counts % 1.0 == 0.0).all():
        before = np.concatenate([[0.0], np.cumsum(counts)])
        return np.diff(np.floor((before + fold) / folds))
    turn = np.cumsum(counts > 0) % folds
    return np.where(turn == fold, counts, 0.0)


def _nonempty(scores: FloatArray, negatives: FloatArray, positives: FloatArray) -> ScoreTable:
    kept = negatives + positives > 0
    return ScoreTable.unchecked(scores[kept], negatives[kept], positives[kept])
