"""Apply a change of the base rate to a fitted calibrator: an offset of the log-odds."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.calibrators.base import reference_of
from lwcal.class_maps import ClassIdentityMap, ClassMap, ScalingMap
from lwcal.errors import InputError
from lwcal.maps import BetaMap, Map, OddsMap, SigmoidMap
from lwcal.noise.rates import FlipRates
from lwcal.reference import Reference

HARDLY_SOFT = 1e-300
"""Softness that changes no probability that can be told from 0."""
Fitted = TypeVar("Fitted", bound=Calibrator)


def base_rates_of(calibrator: Calibrator) -> tuple[float, ...]:
    """Share of each true class that the calibrator is for: of its fit, or of the last change.

    >>> from lwcal import Isotonic
    >>> base_rates_of(Isotonic().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 0, 1]))
    (0.75, 0.25)
    """
    if calibrator.adjustments_:
        return calibrator.adjustments_[-1].after
    reference = reference_of(calibrator)
    if isinstance(reference, Reference):
        weights = reference.negatives + reference.positives
        positive = float(weights @ calibrator.map_.apply_unchecked(reference.scores))
        share = positive / float(weights.sum())
        return 1.0 - share, share
    if reference.base_rates is None:
        raise InputError(
            "The file holds no base rates of its classes: a version of lwcal that stored none "
            "saved it. Fit the calibrator again."
        )
    return tuple(reference.base_rates)


def expected_noise(calibrator: Calibrator) -> FloatArray:
    """Expected probability of each label (column) for each true class (row).

    It is the one behind the map: without a noise model, every label is right.
    """
    if isinstance(calibrator.map_, ClassMap):
        return np.asarray(calibrator.expected_noise_matrix)
    rates = calibrator.rates_posterior
    r0, r1 = FlipRates(0.0, 0.0) if rates is None else _behind_the_map(calibrator, rates.mean())
    return np.array([[1.0 - r0, r0], [r1, 1.0 - r1]])


def _behind_the_map(calibrator: Calibrator, expected: FlipRates) -> FlipRates:
    """Rates that belong to the map, which may follow the evidence for noise only in part."""
    p_clean = calibrator.noise_.probability_clean
    used = calibrator.diagnostics_.get("p_clean_used", p_clean)
    part = (1.0 - used) / (1.0 - p_clean) if p_clean < 1.0 else 0.0
    return FlipRates(part * expected.negative, part * expected.positive)


def adjusted(calibrator: Fitted, change: Adjustment, reference: Any, noise: Any) -> Fitted:
    """Return a copy of the calibrator with other base rates; the calibrator stays as it is."""
    found = copy.copy(calibrator)
    found.map_ = with_ratios(calibrator.map_, change)
    found.reference_ = reference
    found.noise_ = noise
    found.adjustments_ = (*calibrator.adjustments_, change)
    return found


def with_ratios(fitted: Map | ClassMap, change: Adjustment) -> Any:
    """The map after a change of the base rate.

    Examples
    --------
    >>> change = Adjustment("base rate", before=(0.5, 0.5), after=(0.8, 0.2))
    >>> with_ratios(SigmoidMap(2.0, 0.0), change)
    SigmoidMap(slope=2.0, intercept=-1.38...)
    """
    if isinstance(fitted, ClassMap):
        return _with_class_ratios(fitted, change)
    offset = float(np.log(change.factor))
    if isinstance(fitted, SigmoidMap):
        return replace(fitted, intercept=fitted.intercept + offset)
    if isinstance(fitted, BetaMap):
        return replace(fitted, c=fitted.c + offset)
    if isinstance(fitted, OddsMap):
        return replace(fitted, factor=fitted.factor * change.factor)
    return OddsMap(change.factor, fitted)


def _with_class_ratios(fitted: ClassMap, change: Adjustment) -> ScalingMap:
    if isinstance(fitted, ClassIdentityMap):
        zeros = np.zeros(fitted.n_classes)
        fitted = ScalingMap(np.eye(fitted.n_classes), zeros, softness=HARDLY_SOFT)
    assert isinstance(fitted, ScalingMap)
    offsets = np.log(np.array(change.ratios))
    return ScalingMap(fitted.matrix, fitted.intercepts + offsets, fitted.softness)


def before_sampling(reference: Reference, negatives: float, positives: float) -> Reference:
    """Let rows of each label stand for so many; how many were seen is kept."""
    seen = float(reference.negatives.sum()), float(reference.positives.sum())
    found = reweighted(reference, negatives, positives)
    return replace(found, seen=reference.seen or seen)


def reweighted(reference: Reference, negatives: Any, positives: Any) -> Reference:
    """Count rows of each label, in each bin, so many times; their total stays as it is."""
    counts = reference.negatives * negatives, reference.positives * positives
    total = float((reference.negatives + reference.positives).sum())
    part = total / float(sum(column.sum() for column in counts))
    return replace(reference, negatives=part * counts[0], positives=part * counts[1])
