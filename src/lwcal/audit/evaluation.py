"""How good probabilities are, judged by checked labels.

Brier score and NLL are unbiased, whatever made the labels wrong (:mod:`lwcal.audit.difference`).
The calibration error and the reliability curve cannot be had that way from few rows: sizes of
gaps in bins are inflated by chance. They are read off the model of :class:`lwcal.Audited`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.audit.difference import (
    HeldOut,
    Loss,
    Predict,
    brier_of,
    less,
    mean_loss,
    nll_of,
)
from lwcal.audit.findings import Curve, calibration_error, plain, reliability
from lwcal.calibrators import Calibrator
from lwcal.calibrators.audited import Audited, split_checked
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.errors import InputError, message
from lwcal.estimates import Estimate
from lwcal.inputs import ArrayLike, Checked, as_chances, as_checked_labels, as_scores
from lwcal.maps import Map
from lwcal.noise.checked.posterior import infer_audited
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.table import ScoreTable

FOLDS = 5
FEWEST = 10
"""Checked rows from which a spread can be told."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """Metrics of probabilities against true labels, each with an interval.

    Attributes
    ----------
    brier, nll : Estimate
        Unbiased, whatever made the labels wrong.
    ece : Estimate
        Calibration error in 15 bins of equal width, under the model of an audit.
    curve : Curve
        Mean probability and share of true positives in these bins, as far as rows are there.
    """

    brier: Estimate
    nll: Estimate
    ece: Estimate
    curve: Curve


@dataclass(frozen=True, eq=False)
class AuditedEvaluation:
    """A calibrator beside the raw score, judged by checked labels.

    Attributes
    ----------
    checked : int
        Rows that judge.
    calibrated, raw : Judgement
    nll_less_raw, brier_less_raw : Estimate
        Differences on the same rows; below 0 the calibrator helps.
    cross_fitted : bool
        Whether the calibrator was fitted anew without the rows that judge it, because it
        learns from checked rows.
    confidence : float
        Level of all intervals.
    """

    checked: int
    calibrated: Judgement
    raw: Judgement
    nll_less_raw: Estimate
    brier_less_raw: Estimate
    cross_fitted: bool
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        return plain(asdict(self))


def evaluate_audited(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
) -> AuditedEvaluation:
    """Judge a fitted calibrator by the rows that were checked.

    An :class:`lwcal.Audited` is fitted anew without the rows that judge it, five times; any
    other calibrator, which never saw a checked label, is judged as it is.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted.
    scores, y, y_audited, audit_probability
        All rows, as in :meth:`lwcal.Audited.fit`; at least 10 of them checked. Without
        probabilities every row is taken to have had the same chance to be checked.
    confidence : float, default 0.9
        Level of the intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores**2  # a model that promises too much
    >>> labels = truth ^ (rng.random(2000) < 0.1)
    >>> checked = np.where(np.arange(2000) < 100, truth, np.nan)
    >>> fitted = lwcal.Audited().fit(scores, labels, y_audited=checked)
    >>> found = evaluate_audited(fitted, scores, labels, checked)
    >>> found.cross_fitted, found.nll_less_raw.high < 0
    (True, True)
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    calibrator.check_is_fitted()
    rows = _Rows.of(scores, y, y_audited, audit_probability, pos_label)
    cross_fitted = isinstance(calibrator, Audited)
    table, checked = rows.split(rows.labels.checked)
    everything = pool_by_logit(ScoreTable.merge([table, checked.labels]))
    everything.require_both_classes()
    maps, parts = rows.leave_out()
    calibrated = [one if cross_fitted else calibrator.predict for one in maps]
    raw = [_raw] * len(parts)
    posterior = infer_audited(pool_by_logit(table), checked, hypotheses())
    worlds = posterior.clean_draws(everything.scores)

    def mean(losses: Iterable[Loss]) -> Estimate:
        return mean_loss(parts, list(losses), everything, confidence)

    def judgement(by_part: Sequence[Predict], predicted: FloatArray) -> Judgement:
        return Judgement(
            mean(map(brier_of, by_part)),
            mean(map(nll_of, by_part)),
            calibration_error(worlds, everything, predicted, confidence),
            reliability(worlds, everything, predicted, confidence),
        )

    def change(loss_of: Callable[[Predict], Loss]) -> Estimate:
        return mean(map(less, map(loss_of, calibrated), map(loss_of, raw)))

    return AuditedEvaluation(
        int(rows.labels.checked.sum()),
        judgement(calibrated, calibrator.predict(everything.scores)),
        judgement(raw, everything.scores),
        change(nll_of),
        change(brier_of),
        cross_fitted,
        confidence,
    )


def _raw(scores: FloatArray) -> FloatArray:
    return scores


class _Rows(NamedTuple):
    scores: FloatArray
    labels: Checked
    probabilities: FloatArray
    """Of the checked rows."""

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        y_audited: ArrayLike,
        audit_probability: ArrayLike | None,
        pos_label: Any,
    ) -> _Rows:
        checked_scores = as_scores(scores)
        labels = as_checked_labels(y, y_audited, pos_label=pos_label)
        found = int(labels.checked.sum())
        if found < FEWEST:
            expected = f"at least {FEWEST} checked labels in y_audited"
            raise InputError(message(expected, f"{found}", "check some more"))
        equal = np.ones(found)
        given = audit_probability
        chosen = equal if given is None else as_chances(given, labels.checked)
        return cls(checked_scores, labels, chosen)

    def split(self, used: BoolArray) -> tuple[ScoreTable, CheckedTable]:
        """Tables as if only these of the checked rows had been checked."""
        true = self.labels.true[used[self.labels.checked]]
        chosen = np.full(len(used), np.nan)
        chosen[self.labels.checked] = self.probabilities
        labels = Checked(self.labels.noisy, true, used)
        return split_checked(self.scores, labels, audit_probability=chosen)

    def leave_out(self) -> tuple[list[Map], list[HeldOut]]:
        """Deal the checked rows out by label and score, and fit without each part in turn."""
        checked = np.flatnonzero(self.labels.checked)
        dealt = np.lexsort((self.scores[checked], self.labels.noisy[checked]))
        weights = 1.0 / self.probabilities
        weights = weights / weights.mean()
        maps: list[Map] = []
        parts = []
        for fold in range(FOLDS):
            held = dealt[fold::FOLDS]
            places = checked[held]
            used = self.labels.checked.copy()
            used[places] = False
            table, checked_then = self.split(used)
            posterior = infer_audited(pool_by_logit(table), checked_then, hypotheses())
            maps.append(posterior_map(posterior))
            of_rows = self.scores[places], self.labels.noisy[places], self.labels.true[held]
            parts.append(HeldOut(posterior, *of_rows, weights[held]))
        return maps, parts
