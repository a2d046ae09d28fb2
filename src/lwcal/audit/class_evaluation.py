"""Evaluate a calibrator of several classes on checked labels.

All metrics are unbiased, whatever made the labels wrong (:mod:`lwcal.audit.difference_estimator`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.audit.difference_estimator import FOLDS, FoldTerms, combined, require_checks
from lwcal.calibrators import Calibrator
from lwcal.calibrators.audited import Audited
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses
from lwcal.multiclass.checked_classes import CheckedColumns, read_checked_columns
from lwcal.multiclass.class_posterior import ClassPosterior, infer_classes
from lwcal.multiclass.knowledge import NoiseKnowledge
from lwcal.rows import ArrayLike
from lwcal.rows.column_classes import places_by_name
from lwcal.rows.probabilities import as_class_scores
from lwcal.score_map import as_class_score_map

Losses: TypeAlias = dict[str, FloatArray]
"""Losses of each row if each class is the true one, by name."""
TWO_CLASSES = "With two classes, pass the column of the positive class."


@dataclass(frozen=True)
class AuditedClassMetrics:
    """Metrics of class probabilities against true classes, each with an interval.

    Attributes
    ----------
    brier, nll : Estimate
        Brier score and log loss.
    accuracy : Estimate
        Share of rows whose most probable class is the true one.
    """

    brier: Estimate
    nll: Estimate
    accuracy: Estimate


@dataclass(frozen=True)
class AuditedClassEvaluation:
    """A calibrator of several classes and the raw scores, evaluated on checked labels.

    Attributes
    ----------
    checked : int
        Number of checked rows.
    calibrated, raw : AuditedClassMetrics
        Metrics of the calibrator and of the raw scores.
    nll_less_raw, brier_less_raw : Estimate
        Metric of the calibrator minus metric of the raw scores. Below 0 the calibrator is better.
    cross_fitted : bool
        Whether the calibrator was refitted without the rows it is evaluated on, because it
        learns from checked rows.
    confidence : float
        Level of all intervals.
    """

    checked: int
    calibrated: AuditedClassMetrics
    raw: AuditedClassMetrics
    nll_less_raw: Estimate
    brier_less_raw: Estimate
    cross_fitted: bool
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return asdict(self)


class _Fold(NamedTuple):
    """Checked rows that were held out, and what a posterior without them expects."""

    held_out: IndexArray
    expected: FloatArray
    """Probability of each true class of every row, given its scores and its label."""
    fitted: FloatArray
    """Probabilities by the map of that posterior."""


def evaluate_audited_classes(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
) -> AuditedClassEvaluation:
    """Evaluate a calibrator of more than two classes; see :func:`lwcal.audit.evaluate_audited`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.3] * 3, 1500)
    >>> true = (rng.random((1500, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> labels = np.where(rng.random(1500) < 0.1, rng.integers(0, 3, 1500), true)
    >>> checked = np.where(np.arange(1500) < 60, true, np.nan)
    >>> sharp = truth**2 / (truth**2).sum(axis=1, keepdims=True)
    >>> fitted = Audited().fit(sharp, labels, y_audited=checked)
    >>> found = evaluate_audited_classes(fitted, sharp, labels, checked)
    >>> found.cross_fitted, found.nll_less_raw.value < 0
    (True, True)
    """
    mapped = as_class_score_map(calibrator)
    if len(mapped.classes) == 2:
        raise InputError(TWO_CLASSES)
    given = as_class_scores(scores, n_classes=len(mapped.classes))
    places = None if given.names is None else places_by_name(given.names, mapped.classes)
    rows = read_checked_columns(
        given.values if places is None else given.values[:, list(places)],
        y,
        y_audited=y_audited,
        audit_probability=audit_probability,
        classes=mapped.classes,
    )
    return evaluate_checked_columns(calibrator, rows, confidence=confidence)


def evaluate_checked_columns(
    calibrator: Calibrator, rows: CheckedColumns, *, confidence: float = 0.9
) -> AuditedClassEvaluation:
    """Evaluate a calibrator on columns that have been read, in the order of its classes."""
    checked = int(rows.is_checked.sum())
    require_checks(checked)
    cross_fitted = isinstance(calibrator, Audited)
    folds = _hold_out(rows)
    raw = [losses_of(rows.scores)] * len(folds)
    if cross_fitted:
        calibrated = [losses_of(fold.fitted) for fold in folds]
    else:
        mapped = as_class_score_map(calibrator).apply_unchecked(rows.scores)
        calibrated = [losses_of(mapped)] * len(folds)

    def mean(losses: Iterable[FloatArray]) -> Estimate:
        parts = [_terms(rows, fold, loss) for fold, loss in zip(folds, losses, strict=True)]
        return combined(parts, len(rows.labels), confidence)

    def metrics(by_fold: Sequence[Losses]) -> AuditedClassMetrics:
        found = {name: mean(one[name] for one in by_fold) for name in by_fold[0]}
        wrong = found.pop("errors")
        accuracy = Estimate(1.0 - wrong.value, 1.0 - wrong.high, 1.0 - wrong.low)
        return AuditedClassMetrics(**found, accuracy=accuracy)

    def less_raw(name: str) -> Estimate:
        pairs = zip(calibrated, raw, strict=True)
        return mean(one[name] - other[name] for one, other in pairs)

    return AuditedClassEvaluation(
        checked=checked,
        calibrated=metrics(calibrated),
        raw=metrics(raw),
        nll_less_raw=less_raw("nll"),
        brier_less_raw=less_raw("brier"),
        cross_fitted=cross_fitted,
        confidence=confidence,
    )


def losses_of(probabilities: FloatArray) -> Losses:
    """Losses of each row if each class is the true one.

    >>> losses_of(np.array([[0.5, 0.3, 0.2]]))["errors"]
    array([[0., 1., 1.]])
    """
    errors = np.ones_like(probabilities)
    errors[np.arange(len(errors)), probabilities.argmax(axis=1)] = 0.0
    return {**class_losses(probabilities), "errors": errors}


def _hold_out(rows: CheckedColumns) -> list[_Fold]:
    """Divide the checked rows into folds by label and score, and fit without each fold."""
    checked = np.flatnonzero(rows.is_checked)
    of_label = rows.scores[checked, rows.labels[checked]]
    order = checked[np.lexsort((of_label, rows.labels[checked]))]
    hypotheses = NoiseKnowledge().of_classes(len(rows.classes))
    folds = []
    for fold in range(FOLDS):
        held_out = order[fold::FOLDS]
        rest = rows.without_checks_of(held_out).divided()
        posterior = infer_classes(rest.unchecked, hypotheses, rest.checked)
        fitted = posterior.scaling.apply_unchecked(rows.scores)
        folds.append(_Fold(held_out, _truth_given_label(posterior, fitted, rows.labels), fitted))
    return folds


def _truth_given_label(
    posterior: ClassPosterior, clean: FloatArray, labels: IndexArray
) -> FloatArray:
    joint = clean * posterior.noise_matrix.T[labels]
    total = joint.sum(axis=1, keepdims=True)
    # a label that the scores exclude says nothing about the other classes
    return np.asarray(np.divide(joint, total, out=clean.copy(), where=total > 0.0))


def _terms(rows: CheckedColumns, fold: _Fold, losses: FloatArray) -> FoldTerms:
    predicted = np.einsum("nk,nk->n", fold.expected, losses)
    shares = rows.weights / rows.weights.sum()
    mean = float(shares @ predicted)
    places = fold.held_out
    errors = losses[places, rows.truths[places]] - predicted[places]
    return FoldTerms(mean, float(shares @ (predicted - mean) ** 2), _weights(rows, places) * errors)


def _weights(rows: CheckedColumns, places: IndexArray) -> FloatArray:
    """Inverse probabilities of being checked, scaled to mean 1 over all checked rows."""
    if rows.chances is None:
        return np.ones(len(places))
    inverse = np.zeros(len(rows.labels))
    inverse[rows.is_checked] = 1.0 / rows.chances
    return np.asarray(inverse[places] / inverse[rows.is_checked].mean())
