"""Evaluate a calibrator on checked labels.

Brier score and log loss are unbiased, whatever made the labels wrong
(:mod:`lwcal.audit.difference_estimator`). Calibration error and reliability curve cannot be
estimated that way from few rows, because chance inflates the gaps in bins. They are taken from the
posterior of :class:`lwcal.Audited`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.audit.class_evaluation import AuditedClassEvaluation, evaluate_audited_classes
from lwcal.audit.difference_estimator import (
    FOLDS,
    HeldOutRows,
    Loss,
    Predict,
    brier_loss,
    log_loss,
    loss_difference,
    mean_loss,
    require_checks,
)
from lwcal.audit.reliability import Curve, calibration_error, reliability_curve, to_json_types
from lwcal.calibrators import Calibrator
from lwcal.calibrators.audited import Audited
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.maps import Map
from lwcal.multiclass.class_rows import refuse_scale
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.posterior import infer_audited
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike, Checked, as_chances, as_checked_labels, as_scores
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable


@dataclass(frozen=True, eq=False)
class AuditedMetrics:
    """Metrics of probabilities against true labels, each with an interval.

    Attributes
    ----------
    brier, nll : Estimate
        Brier score and log loss; unbiased, whatever made the labels wrong.
    ece : Estimate
        Calibration error in 15 bins of equal width, under the posterior of the audit.
    curve : Curve
        Mean probability and share of true positives in the bins that have rows.
    """

    brier: Estimate
    nll: Estimate
    ece: Estimate
    curve: Curve


@dataclass(frozen=True, eq=False)
class AuditedEvaluation:
    """A calibrator and the raw score, evaluated on checked labels.

    Attributes
    ----------
    checked : int
        Number of checked rows.
    calibrated, raw : AuditedMetrics
        Metrics of the calibrator and of the raw score.
    nll_less_raw, brier_less_raw : Estimate
        Metric of the calibrator minus metric of the raw score. Below 0 the calibrator is better.
    cross_fitted : bool
        Whether the calibrator was refitted without the rows it is evaluated on, because it
        learns from checked rows.
    confidence : float
        Level of all intervals.
    """

    checked: int
    calibrated: AuditedMetrics
    raw: AuditedMetrics
    nll_less_raw: Estimate
    brier_less_raw: Estimate
    cross_fitted: bool
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as types that JSON can represent."""
        return to_json_types(asdict(self))


def evaluate_audited(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
) -> AuditedEvaluation | AuditedClassEvaluation:
    """Evaluate a fitted calibrator on the checked rows.

    An :class:`lwcal.Audited` is refitted five times, each time without the rows it is then
    evaluated on. Other calibrators never use checked labels, so they are evaluated as they are.

    Parameters
    ----------
    calibrator : Calibrator
        A fitted calibrator.
    scores, y, y_audited, audit_probability
        All rows, as in :meth:`lwcal.Audited.fit`, with scores of one column, or of a column for
        each of several classes; at least 10 must be checked. Without
        probabilities every row is assumed to be equally likely to be checked.
    confidence : float, default 0.9
        Level of the intervals.
    pos_label : optional
        The positive class, if it is not obvious from the labels.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the calibrator by default.

    Returns
    -------
    AuditedEvaluation or AuditedClassEvaluation
        The latter for a calibrator of more than two classes.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores**2  # scores that are too high
    >>> labels = truth ^ (rng.random(2000) < 0.1)
    >>> checked = np.where(np.arange(2000) < 100, truth, np.nan)
    >>> fitted = lwcal.Audited().fit(scores, labels, y_audited=checked)
    >>> found = evaluate_audited(fitted, scores, labels, checked)
    >>> found.cross_fitted, found.nll_less_raw.high < 0
    (True, True)
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    if is_matrix(scores):
        refuse_scale(scale)
        if pos_label is not None:
            raise ParameterError(message("no pos_label with scores of several classes", "one"))
        return evaluate_audited_classes(
            calibrator, scores, y, y_audited, audit_probability, confidence=confidence
        )
    return evaluate_audited_column(
        calibrator,
        scores,
        y,
        y_audited,
        audit_probability,
        confidence=confidence,
        pos_label=pos_label,
        scale=scale,
    )


def evaluate_audited_column(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
) -> AuditedEvaluation:
    """Evaluate a calibrator of two classes; see :func:`evaluate_audited`."""
    calibrator.require_two_classes()
    checked_scores = as_scores(scores, scale=calibrator.scale_of(scale))
    rows = _Rows.from_columns(checked_scores, y, y_audited, audit_probability, pos_label)
    cross_fitted = isinstance(calibrator, Audited)
    table, checked = rows.split(rows.labels.checked)
    all_rows = pool_by_logit(ScoreTable.merge([table, checked.labels]))
    all_rows.require_both_classes()
    maps, folds = rows.hold_out(all_rows)
    calibrated = [one if cross_fitted else calibrator.map_ for one in maps]
    raw = [_raw_score] * len(folds)
    posterior = infer_audited(pool_by_logit(table), checked, hypotheses())
    draws = posterior.clean_draws(all_rows.scores)

    def mean(losses: Iterable[Loss]) -> Estimate:
        return mean_loss(folds, list(losses), all_rows, confidence)

    def metrics(by_fold: Sequence[Predict], predicted: FloatArray) -> AuditedMetrics:
        return AuditedMetrics(
            brier=mean(map(brier_loss, by_fold)),
            nll=mean(map(log_loss, by_fold)),
            ece=calibration_error(draws, all_rows, predicted, confidence),
            curve=reliability_curve(draws, all_rows, predicted, confidence),
        )

    def less_raw(loss: Callable[[Predict], Loss]) -> Estimate:
        return mean(map(loss_difference, map(loss, calibrated), map(loss, raw)))

    return AuditedEvaluation(
        checked=int(rows.labels.checked.sum()),
        calibrated=metrics(calibrated, calibrator.map_(all_rows.scores)),
        raw=metrics(raw, all_rows.scores),
        nll_less_raw=less_raw(log_loss),
        brier_less_raw=less_raw(brier_loss),
        cross_fitted=cross_fitted,
        confidence=confidence,
    )


def _raw_score(scores: FloatArray) -> FloatArray:
    return scores


class _Rows(NamedTuple):
    scores: FloatArray
    labels: Checked
    probabilities: FloatArray
    """With which the checked rows were checked."""

    @classmethod
    def from_columns(
        cls,
        checked_scores: FloatArray,
        y: ArrayLike,
        y_audited: ArrayLike,
        audit_probability: ArrayLike | None,
        pos_label: Any,
    ) -> _Rows:
        labels = as_checked_labels(y, y_audited, pos_label=pos_label)
        found = int(labels.checked.sum())
        require_checks(found)
        if audit_probability is None:
            return cls(checked_scores, labels, np.ones(found))
        return cls(checked_scores, labels, as_chances(audit_probability, labels.checked))

    def split(self, used: BoolArray) -> tuple[ScoreTable, CheckedTable]:
        """Return the tables of unchecked and checked rows, with only these rows checked."""
        true = self.labels.true[used[self.labels.checked]]
        chosen = np.full(len(used), np.nan)
        chosen[self.labels.checked] = self.probabilities
        labels = Checked(self.labels.noisy, true, used)
        return split_checked(self.scores, labels, audit_probability=chosen)

    def hold_out(self, all_rows: ScoreTable) -> tuple[list[Map], list[HeldOutRows]]:
        """Divide the checked rows into folds by label and score, and fit without each fold."""
        checked = np.flatnonzero(self.labels.checked)
        order = np.lexsort((self.scores[checked], self.labels.noisy[checked]))
        weights = 1.0 / self.probabilities
        weights = weights / weights.mean()
        maps: list[Map] = []
        folds = []
        for fold in range(FOLDS):
            held = order[fold::FOLDS]
            places = checked[held]
            used = self.labels.checked.copy()
            used[places] = False
            table, checked_then = self.split(used)
            posterior = infer_audited(pool_by_logit(table), checked_then, hypotheses())
            maps.append(posterior_map(posterior))
            columns = self.scores[places], self.labels.noisy[places], self.labels.true[held]
            folds.append(HeldOutRows.from_posterior(posterior, all_rows, *columns, weights[held]))
        return maps, folds
