"""Adapt a calibrator of several classes to the base rates of new rows, if their scores allow it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import rel_entr

from lwcal.adjustments import Adjustment, Reason
from lwcal.arrays import FloatArray
from lwcal.calibrators import ClassCalibrator
from lwcal.calibrators.base import reference_of
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.multiclass.class_cells import MOST_CLASSES, ClassCells
from lwcal.shift.adapted_classes import ClassAdaptation
from lwcal.shift.adjusting import base_rates_of
from lwcal.shift.class_base_rates import (
    ClassBaseRates,
    class_base_rates_from,
    rates_if_labels_are_wrong,
)
from lwcal.shift.class_mixture import ClassMixture, fit_class_mixture
from lwcal.shift.known import Shares, as_base_rates, rates_off_its_rows, with_base_rates
from lwcal.shift.verdicts import (
    ALPHA,
    LEAST_LABELS,
    LEAST_ROWS,
    MOVED,
    REFUSED,
    Verdict,
    noise_is_sure,
    refuse_opinions,
)

SAME = 0.01
"""Significance level of the test that the base rates are as before. At 5%, a few unchanged samples
of ten classes were adapted, and lost by it."""
IMPOSSIBLE = 0.01
"""Probability of base rates from 0 to 1 below which the labels are not what they are taken for."""
UNKNOWN = 1.0 / 3.0
"""Part of the change from which on too much of it stays unknown. With half of it, one calibrator of
twelve classes in six that was adapted became worse, where scores hardly tell classes apart."""
DOUBTED = 0.5
"""What another reading may cost, as a part of what the old base rates would."""
WIDEST = 0.5
"""Width of an interval from which on the scores hardly say anything about a class."""


def adapt_classes(
    calibrator: ClassCalibrator,
    scores: FloatArray,
    weights: FloatArray,
    *,
    base_rate: Shares | None = None,
) -> ClassAdaptation:
    """Adapt a calibrator of more than two classes to checked rows, as ``adapt`` does."""
    refuse_opinions(calibrator)
    cells = _cells_of(calibrator)
    before = base_rates_of(calibrator)
    given = None if base_rate is None else as_base_rates(calibrator, base_rate)
    names = tuple(calibrator.classes_.tolist())
    labels = cells.counts.sum(axis=0)
    n = float(weights.sum())
    judged = _Judged("cannot tell", None, None, 1.0, 0.0, 1.0, ())
    if (labels < LEAST_LABELS).any():
        rare = tuple(
            name for name, count in zip(names, labels, strict=True) if count < LEAST_LABELS
        )
        judged = judged._replace(unclear=rare)
        if given is not None:
            judged = judged._replace(verdict="adapted", after=given)
        elif n < LEAST_ROWS:
            judged = judged._replace(verdict="no change")
    else:
        # a base rate never moves a row to another cell, so those of the fit serve for all
        probabilities = calibrator.map_.apply_unchecked(scores)
        mixture = fit_class_mixture(cells, cells.weights_of(probabilities, weights, before))
        found = class_base_rates_from(
            mixture, labels, calibrator.noise_, n=n, estimated=not noise_is_sure(calibrator)
        )
        judged = _judge(mixture, found, labels, np.array(before), given, n, names)
        if judged.estimates is not None and given is None and calibrator.noise_ is None:
            judged = _doubted(judged, rates_if_labels_are_wrong(mixture, cells.counts), before)
    doubt, off = None, rates_off_its_rows(calibrator)
    if off is not None and judged.verdict not in REFUSED:
        doubt = off.refusal("VectorScaling")
        judged = judged._replace(verdict="labels contradict", after=None, estimates=None)
    adapted = calibrator if judged.verdict == "no change" else None
    if judged.verdict == "adapted" and judged.after is not None:
        reason: Reason = "new scores" if given is None else "base rate"
        adapted = with_base_rates(calibrator, Adjustment(reason, before, judged.after))
    return ClassAdaptation(
        judged.verdict,
        adapted,
        names,
        before,
        judged.estimates,
        given,
        judged.p_value,
        judged.distance,
        judged.unknown,
        judged.unclear,
        n,
        calibrator.noise_ is None,
        doubt=doubt,
    )


def _cells_of(calibrator: ClassCalibrator) -> ClassCells:
    cells: ClassCells | None = reference_of(calibrator).cells
    if cells is not None:
        return cells
    if calibrator.n_classes_ > MOST_CLASSES:
        why = f"of more than {MOST_CLASSES} classes are not estimated from scores"
        hint = "If they are known,"
    else:
        why = "cannot be estimated: a version of lwcal that kept no cells of scores saved the file"
        hint = "Fit the calibrator again. If they are known,"
    raise InputError(
        f"The base rates {why}. {hint} pass them to lwcal.shift.to_base_rate, or to lwcal adapt "
        "with --base-rate and without SCORES."
    )


class _Judged(NamedTuple):
    verdict: Verdict
    after: tuple[float, ...] | None
    estimates: tuple[Estimate, ...] | None
    p_value: float
    distance: float
    unknown: float
    unclear: tuple[Any, ...]


def _judge(
    mixture: ClassMixture,
    found: ClassBaseRates,
    labels: FloatArray,
    before: FloatArray,
    given: tuple[float, ...] | None,
    n: float,
    names: tuple[Any, ...],
) -> _Judged:
    estimates = found.estimates
    values = None if estimates is None else tuple(one.value for one in estimates)
    unknown = 1.0 if values is None else _unknown(found, np.array(values), before)
    judged = _Judged("adapted", given, estimates, mixture.p_value, mixture.distance, unknown, ())
    smallest = min(given or values or (0.0,))
    if mixture.p_value < ALPHA and mixture.distance > MOVED * smallest:
        return judged._replace(verdict="scores moved", estimates=None)
    if given is not None:
        return judged
    may_be_same = estimates is not None and all(
        one.low <= share <= one.high for one, share in zip(estimates, before, strict=True)
    )
    total = float(labels.sum())
    if n < LEAST_ROWS or may_be_same or mixture.p_value_of(labels / total, total) >= SAME:
        return judged._replace(verdict="no change")
    if estimates is None or found.probability < IMPOSSIBLE:
        return judged._replace(verdict="labels contradict", estimates=None)
    if unknown > UNKNOWN or max(one.high - one.low for one in estimates) > WIDEST:
        return judged._replace(verdict="cannot tell", unclear=_alike(found, names))
    return judged._replace(after=values)


def _doubted(
    judged: _Judged, readings: list[tuple[float, ...]], before: tuple[float, ...]
) -> _Judged:
    """Allow for wrong labels, which were trusted, and refuse a change that could do harm then."""
    assert judged.estimates is not None
    columns = zip(judged.estimates, *readings, strict=True)
    values = np.array([one.value for one in judged.estimates])
    judged = judged._replace(estimates=tuple(_widened(one, rates) for one, *rates in columns))
    if judged.verdict != "adapted":
        return judged
    costs = [
        tuple(
            float(rel_entr(rates, np.maximum(shares, 1e-12)).sum()) for shares in (values, before)
        )
        for rates in map(np.array, readings)
    ]
    if all(after <= DOUBTED * at_stake for after, at_stake in costs):
        return judged
    return judged._replace(verdict="cannot tell", after=None)


def _widened(estimate: Estimate, rates: list[float]) -> Estimate:
    """The interval that chance leaves around the estimate and around each of these base rates."""
    value, low, high = estimate
    lowest, highest = min([value, *rates]), max([value, *rates])
    return Estimate(value, max(lowest - (value - low), 0.0), min(highest + (high - value), 1.0))


def _unknown(found: ClassBaseRates, values: FloatArray, before: FloatArray) -> float:
    """Part of the change that stays unknown: what a wrong base rate costs at most, in log loss.

    The expected cost of the estimated base rates, as a part of that of the old ones. Chance alone
    moves the estimate away from the old ones by as much as it is expected to be off.
    """
    left = float(found.weights @ rel_entr(found.draws, values).sum(axis=1))
    at_stake = float(rel_entr(values, np.maximum(before, 1e-12)).sum()) - left
    return left / at_stake if at_stake > left else 1.0


def _alike(found: ClassBaseRates, names: tuple[Any, ...]) -> tuple[Any, ...]:
    """The two classes of which the one may be taken for the other."""
    covariance = np.cov(found.draws.T, aweights=found.weights)
    first, second = np.unravel_index(covariance.argmin(), covariance.shape)
    return names[min(first, second)], names[max(first, second)]
