"""Adapt a calibrator to the base rate of new rows, if their scores allow it."""

from __future__ import annotations

from typing import cast

import numpy as np

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.calibrators import Audited, Calibrator, ClassCalibrator
from lwcal.calibrators.base import reference_of
from lwcal.calibrators.class_base import in_order
from lwcal.calibrators.passed import require_calibrator
from lwcal.class_maps import ClassMap
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.multiclass.class_rows import refuse_one_column, refuse_scale
from lwcal.noise.rates import RatePosterior
from lwcal.reference import Reference
from lwcal.rows import ArrayLike, as_scores, as_weights
from lwcal.rows.probabilities import as_class_scores
from lwcal.shift.adapted import Adaptation
from lwcal.shift.adapted_classes import ClassAdaptation
from lwcal.shift.adjusting import base_rates_of
from lwcal.shift.base_rate import BaseRate, base_rate_from, true_positives_are_unclear
from lwcal.shift.class_adaptation import adapt_classes
from lwcal.shift.known import Shares, as_base_rates, rates_off_its_rows, with_base_rates
from lwcal.shift.label_mixture import LabelMixture, fit_mixture
from lwcal.shift.moved_scores import unnoticed_move
from lwcal.shift.readings import Readings
from lwcal.shift.verdicts import (
    ALPHA,
    LEAST_ROWS,
    MOVED,
    REFUSED,
    Verdict,
    noise_is_sure,
    refuse_opinions,
)
from lwcal.table import ScoreTable

IMPOSSIBLE = 0.05
"""Probability of a base rate from 0 to 1 below which the labels are not what they are taken for."""
LEAST_PART = 0.2
"""Part of a change below which it is not worth making."""
RIGHT = RatePosterior.known((0.0, 0.0))
WITHOUT_ESTIMATE = ("scores moved", "labels contradict")
"""Verdicts with which no base rate is believed."""


def adapt(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable,
    sample_weight: ArrayLike | None = None,
    *,
    base_rate: Shares | None = None,
    scale: str | None = None,
) -> Adaptation | ClassAdaptation:
    """Adapt a calibrator to rows with another base rate, of which only scores are known.

    It assumes that only the base rate differs: within each class, scores are distributed as in the
    fit. Then the new scores are a mixture of those of the fit with negative and with positive
    labels. The share of this mixture is found by minimum chi-square, and the flip rates of the
    calibrator turn it into a base rate (without a noise model, every label counts as right). If no
    mixture explains the new scores, the calibrator is not adapted.

    Unless labels were checked, or flip rates are known, nobody knows how many labels are wrong. So
    the labels are read in other ways, too, with up to a fifth of them wrong as far as the rows of
    the fit allow. The interval contains the base rates of all readings. The base rate is changed as
    far as the log loss hardly rises under any of them: by 2%, and a tenth of what is gained if the
    labels are what the calibrator takes them for.

    Few new rows show little. If scores that all moved could look the same, and so many rows would
    not show it, the calibrator is not adapted. Nor is one that expects another base rate than the
    labels of its own fit.

    With more than two classes, new rows are counted in cells: the class that a row speaks for most,
    and how clearly it does. They are a mixture of the rows of the fit with each label, and the
    noise matrix turns its shares into base rates. If the scores of two classes are too alike to
    tell, the calibrator is not adapted.

    Scores alone cannot tell a change of the base rate from every other change: a population in
    which equal scores mean what they meant before can have the same scores. Some labels of the new
    rows decide that, with :func:`lwcal.monitor`.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted.
    scores : of shape (n,) or (n, K), as in the fit; or ScoreTable
        New scores of the same model. The labels of a table are not used.
    sample_weight : one-dimensional, optional
        Frequencies of the new rows.
    base_rate : float, sequence or mapping, optional
        Share of true positives among the new rows, if it is known. With several classes, that of
        each class: in the order of the classes, or as a mapping from labels. The scores are then
        only tested.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the calibrator by default.

    Returns
    -------
    Adaptation or ClassAdaptation
        With ``verdict``, ``sentence``, ``base_rate`` and ``calibrator``. The latter, with more than
        two classes, has ``base_rates``.

    See Also
    --------
    to_base_rate : for known base rates without new scores.
    undo_sampling : for rows of the fit that were sampled by their labels.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> def rows(n, base_rate):
    ...     truth = rng.random(n) < base_rate
    ...     return 1.0 / (1.0 + np.exp(-2.0 * rng.normal(2.0 * truth - 1.0))), truth
    >>> calibrator = lwcal.Platt().fit(*rows(5000, 0.3))
    >>> found = adapt(calibrator, rows(5000, 0.05)[0])
    >>> found.verdict, f"{found.base_rate:.2f}"
    ('adapted', '0.06 (0.04 to 0.08)')
    >>> adapt(calibrator, rng.random(5000)).verdict
    'scores moved'

    Of several classes:

    >>> def rows(n, shares):
    ...     truth = rng.choice(3, n, p=shares)
    ...     odds = np.exp(rng.normal(size=(n, 3)) + 2.0 * np.eye(3)[truth])
    ...     return odds / odds.sum(axis=1, keepdims=True), truth
    >>> calibrator = lwcal.VectorScaling().fit(*rows(5000, [0.2, 0.3, 0.5]))
    >>> found = adapt(calibrator, rows(5000, [0.6, 0.3, 0.1])[0])
    >>> [f"{estimate:.2f}" for estimate in found.base_rates]
    ['0.60 (0.55 to 0.62)', '0.30 (0.27 to 0.32)', '0.11 (0.09 to 0.14)']
    """
    require_calibrator(calibrator)
    calibrator.check_is_fitted()
    if isinstance(calibrator, ClassCalibrator) and isinstance(calibrator.map_, ClassMap):
        return _of_several_classes(calibrator, scores, sample_weight, base_rate, scale)
    reference: Reference = reference_of(calibrator)
    refuse_opinions(calibrator)
    new, n = _counts(calibrator, reference, scores, sample_weight, scale)
    before = base_rates_of(calibrator)
    given = None if base_rate is None else as_base_rates(calibrator, base_rate)[1]
    mixture = fit_mixture(reference, new)
    labelled = _labelled(reference)
    found = _base_rate(calibrator, labelled, mixture)
    estimate = found.estimate
    verdict, change = _judge(before, labelled, calibrator.n_, found, mixture, given, n)
    by_scores = verdict == "no change" if change is None else change.reason == "new scores"
    if by_scores and estimate is not None:
        readings = _readings(calibrator, reference, new, mixture)
        if readings is not None:
            estimate = _widened(estimate, readings)
        if readings is not None and change is not None:
            probability = calibrator.map_.apply_unchecked(reference.scores)
            part = readings.harmless_part(probability, float(np.log(change.factor)))
            verdict, change = _limited(change, estimate, part)
    doubt = None
    if change is not None and change.reason == "new scores":
        smaller = _smaller_class(estimate, given)
        unnoticed = unnoticed_move(reference, mixture, n, smaller)
        if unnoticed is not None and estimate is not None:
            verdict, change = "cannot tell", None
            doubt = unnoticed.sentence(before[1], estimate, n, calibrator.n_)
    off = rates_off_its_rows(calibrator)
    if off is not None and verdict not in REFUSED:
        verdict, change, estimate, doubt = "labels contradict", None, None, off.refusal("Platt")
    adapted = calibrator if verdict == "no change" else None
    if change is not None:
        adapted = with_base_rates(calibrator, change)
    return Adaptation(
        verdict,
        adapted,
        before[1],
        None if verdict in WITHOUT_ESTIMATE else estimate,
        None if change is None else change.after[1],
        given,
        1.0 if change is None else change.factor,
        mixture.p_value,
        mixture.distance,
        n,
        calibrator.rates_posterior is None,
        doubt=doubt,
    )


def _of_several_classes(
    calibrator: ClassCalibrator,
    scores: ArrayLike | ScoreTable,
    sample_weight: ArrayLike | None,
    base_rate: Shares | None,
    scale: str | None,
) -> ClassAdaptation:
    refuse_one_column(calibrator.n_classes_, scores)
    refuse_scale(scale)
    found = as_class_scores(scores, n_classes=calibrator.n_classes_)
    values = in_order(found, calibrator.classes_)
    n = len(values)
    weights = np.ones(n) if sample_weight is None else as_weights(sample_weight, n)
    return adapt_classes(calibrator, values, weights, base_rate=base_rate)


def _counts(
    calibrator: Calibrator,
    reference: Reference,
    scores: ArrayLike | ScoreTable,
    sample_weight: ArrayLike | None,
    scale: str | None,
) -> tuple[FloatArray, float]:
    """Weight of the new rows in each bin of the reference, and in all."""
    if isinstance(scores, ScoreTable):
        if sample_weight is not None or scale is not None:
            raise InputError("A ScoreTable has its own weights and scale; pass it alone.")
        values, weights = scores.scores, scores.negatives + scores.positives
    else:
        values = as_scores(scores, scale=calibrator.scale_of(scale))
        given = sample_weight
        weights = np.ones(len(values)) if given is None else as_weights(given, len(values))
    return reference.counts(values, weights), float(weights.sum())


def _labelled(reference: Reference) -> float:
    """Share of positive labels among the rows of the fit."""
    positives, negatives = float(reference.positives.sum()), float(reference.negatives.sum())
    return positives / (positives + negatives)


def _base_rate(calibrator: Calibrator, labelled: float, mixture: LabelMixture) -> BaseRate:
    rates = calibrator.rates_posterior
    if rates is None:
        return base_rate_from(mixture, labelled, RIGHT, estimated=False)
    return base_rate_from(mixture, labelled, rates, estimated=not noise_is_sure(calibrator))


def _readings(
    calibrator: Calibrator, reference: Reference, new: FloatArray, mixture: LabelMixture
) -> Readings | None:
    """Readings of the labels under which the change must not harm; None if the noise is known."""
    rates = calibrator.rates_posterior
    if isinstance(calibrator, Audited) and rates is not None:
        if true_positives_are_unclear(_labelled(reference), rates):
            return Readings.of(reference, new, mixture, rates)
        return None
    return None if noise_is_sure(calibrator) else Readings.of(reference, new, mixture)


def _judge(
    before: tuple[float, ...],
    labelled: float,
    n_before: float,
    found: BaseRate,
    mixture: LabelMixture,
    given: float | None,
    n: float,
) -> tuple[Verdict, Adjustment | None]:
    estimate = found.estimate
    if mixture.p_value < ALPHA and mixture.distance > MOVED * _smaller_class(estimate, given):
        return "scores moved", None
    if given is not None:
        return "adapted", Adjustment("base rate", before, (1.0 - given, given))
    if estimate is not None and estimate.low <= before[1] <= estimate.high:
        return "no change", None
    if n < LEAST_ROWS or mixture.may_be(labelled, n_before):
        return "no change", None
    if estimate is None or found.probability < IMPOSSIBLE:
        return "labels contradict", None
    value, low, high = estimate
    return "adapted", Adjustment("new scores", before, (1.0 - value, value), (low, high))


def _widened(estimate: Estimate, readings: Readings) -> Estimate:
    """The estimate with an interval that contains the base rates of all readings."""
    value, low, high = estimate
    found = readings.base_rates
    return Estimate(value, min(low, float(found.min())), max(high, float(found.max())))


def _limited(
    change: Adjustment, estimate: Estimate, part: float
) -> tuple[Verdict, Adjustment | None]:
    """The part of a change that harms under no reading of the labels."""
    if part < LEAST_PART:
        return "cannot tell", None
    odds = change.before[1] / change.before[0] * change.factor**part
    used = change.after[1] if part == 1.0 else odds / (1.0 + odds)
    interval = (estimate.low, estimate.high)
    return "adapted", change._replace(after=(1.0 - used, used), interval=interval)


def _smaller_class(estimate: Estimate | None, given: float | None) -> float:
    """Share of the smaller class; 0 if no base rate is possible."""
    if given is None and estimate is None:
        return 0.0
    share = given if given is not None else cast("Estimate", estimate).value
    return min(share, 1.0 - share)
