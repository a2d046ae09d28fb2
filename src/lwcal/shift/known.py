"""Known changes of the base rate: rows sampled by their labels, and a base rate of deployment."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import numpy as np
from scipy.special import expit, logit

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.calibrators import Audited, Calibrator, ClassCalibrator
from lwcal.calibrators.base import reference_of
from lwcal.calibrators.passed import require_calibrator
from lwcal.class_maps import ClassMap
from lwcal.errors import BaseRateWarning, ParameterError, message
from lwcal.maps import LEAST_FACTOR
from lwcal.parameters import Between, check_parameter
from lwcal.reference import Reference
from lwcal.rows.classes import class_key
from lwcal.shift.adjusting import (
    adjusted,
    base_rates_of,
    before_sampling,
    expected_noise,
    reweighted,
)
from lwcal.shift.own_rows import OffItsRows, off_its_rows
from lwcal.shift.readings import Readings
from lwcal.shift.resampled_noise import resampled_noise
from lwcal.shift.verdicts import noise_is_sure

Fitted = TypeVar("Fitted", bound=Calibrator)
Shares = float | Iterable[float] | Mapping[Any, float]
SUM = 1e-6
"""How far base rates of several classes may be from adding up to 1."""
TINY = 1e-12
"""Probabilities closer to 0 or 1 have no odds to speak of."""
NEGATIVES_KEPT = Between(0.0, 1.0, open="low")
"""One number is a share: 10 may mean one in ten, and must not pass for tenfold."""


def undo_sampling(calibrator: Fitted, kept: Shares) -> Fitted:
    """Correct a calibrator for rows that were sampled, or weighted, by their labels.

    The odds of every score are multiplied by one number. With right labels that is the share of
    negatives that was kept. With wrong labels, some true positives were dropped as negatives, and
    the flip rates of the calibrator say how many. If these are known, the correction is exact.
    Others are followed only as far as that harms under no possible reading of the labels, from all
    right to a fifth of them wrong, or under none that checked labels leave: the log loss rises by
    2% at most, and a tenth of what is gained if the estimate holds. The interval
    of the adjustment contains the base rates of all readings. With several classes, labels count as
    right for this correction unless their noise is known or labels were checked. Flip rates and
    histogram of the result are those of the rows before sampling; for more than two classes they
    are dropped.

    A calibrator that takes labels as right and expects other base rates than those of its rows
    warns. Its probabilities may be for all rows already, as are the raw scores of a model that was
    trained on them.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted to sampled rows. Nothing has to be undone if only the model was trained on sampled
        rows, and the calibrator was fitted to all of them. Known flip rates, if it has them, must
        be those of the sampled rows: if a share k of the negatives was kept, the odds of r0 are
        divided by k, and those of r1 are multiplied by k.
    kept : float, sequence or mapping
        Probability with which a row of each label was kept: one number for the negatives, if all
        positives were kept; one for each class, in the order of the classes, negative first; or a
        mapping from labels, in which others were all kept. Class weights are given like the last
        two, and may be above 1: only ratios matter.

    Returns
    -------
    Calibrator
        A copy. The calibrator that was passed does not change.

    Examples
    --------
    >>> from lwcal import Platt
    >>> calibrator = Platt().fit([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> calibrator.predict([0.5]).round(2), undo_sampling(calibrator, 0.1).predict([0.5]).round(2)
    (array([0.57]), array([0.12]))
    """
    require_calibrator(calibrator)
    calibrator.check_is_fitted()
    inverse = 1.0 / _kept(calibrator, kept)
    if any(change.reason == "sampling" for change in calibrator.adjustments_):
        text = "The calibrator was corrected for sampling before. Both corrections count now."
        warnings.warn(text, BaseRateWarning, stacklevel=2)
    is_trusted = isinstance(calibrator.map_, ClassMap) and not noise_is_sure(calibrator)
    noise = np.eye(len(inverse)) if is_trusted else expected_noise(calibrator)
    off = rates_off_its_rows(calibrator)
    if off is not None:
        follower = "VectorScaling" if isinstance(calibrator.map_, ClassMap) else "Platt"
        warnings.warn(off.sampling_doubt(follower), BaseRateWarning, stacklevel=2)
    before = _sampled_base_rates(calibrator)
    after = before * (noise @ inverse)
    after /= after.sum()
    change = Adjustment("sampling", tuple(before.tolist()), tuple(after.tolist()))
    _check_ratios(change)
    reference = calibrator.reference_
    if not isinstance(reference, Reference):
        return adjusted(calibrator, change, None, None)
    change = _harmless(calibrator, change, reference, inverse)
    negative, positive = inverse.tolist()
    resampled = (
        None
        if calibrator.noise_ is None
        else resampled_noise(calibrator.noise_, negative / positive)
    )
    return adjusted(calibrator, change, before_sampling(reference, negative, positive), resampled)


def _harmless(
    calibrator: Calibrator, change: Adjustment, reference: Reference, inverse: FloatArray
) -> Adjustment:
    """Follow flip rates that are not known only as far as no possible reading is harmed.

    Where one negative in a hundred was kept, each missed positive among them stands for a hundred.
    So a flip rate of 1%, which neither the sampled rows nor a hundred checked ones can tell from
    none, would double the base rate.
    """
    rates = calibrator.rates_posterior
    is_checked = isinstance(calibrator, Audited)
    if rates is None or (noise_is_sure(calibrator) and not is_checked):
        return change
    if_right = float(np.log(inverse[1] / inverse[0]))
    full = float(np.log(change.factor))
    readings = Readings.of_all_rows(reference, inverse, rates if is_checked else None)
    log_odds = logit(np.clip(calibrator.map_.apply_unchecked(reference.scores), TINY, 1.0 - TINY))
    part = readings.harmless_part(expit(log_odds + if_right), full - if_right)
    odds = change.before[1] / change.before[0] * np.exp(if_right + part * (full - if_right))
    used, whole = float(odds / (1.0 + odds)), change.after[1]
    found = [*readings.base_rates.tolist(), used, whole]
    return change._replace(after=(1.0 - used, used), interval=(min(found), max(found)))


def to_base_rate(calibrator: Fitted, base_rate: Shares) -> Fitted:
    """Correct a calibrator for a known base rate of deployment.

    It assumes that only the base rate differs: within each class, scores are distributed as they
    were in the fit. :func:`adapt` takes new scores, too, and tests that.

    Parameters
    ----------
    calibrator : Calibrator
    base_rate : float, sequence or mapping
        Share of true positives in deployment. With several classes, that of each class: in the
        order of the classes, or as a mapping from labels.

    Returns
    -------
    Calibrator
        A copy. The calibrator that was passed does not change.

    Examples
    --------
    >>> from lwcal import Isotonic
    >>> calibrator = Isotonic().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> calibrator.predict([0.5]), to_base_rate(calibrator, 0.2).predict([0.5])
    (array([0.5]), array([0.2]))
    """
    require_calibrator(calibrator)
    calibrator.check_is_fitted()
    after = as_base_rates(calibrator, base_rate)
    off = rates_off_its_rows(calibrator)
    if off is not None:
        text = f"{off.sentence} Mean probabilities will not be the base rate that was given."
        warnings.warn(text, BaseRateWarning, stacklevel=2)
    return with_base_rates(calibrator, Adjustment("base rate", base_rates_of(calibrator), after))


def rates_off_its_rows(calibrator: Calibrator) -> OffItsRows | None:
    """How far a calibrator that trusts its labels is from following them; None if it does."""
    labels = _trusted_labels(calibrator)
    if labels is None:
        return None
    is_binary = isinstance(calibrator.reference_, Reference)
    names = ("negative", None) if is_binary else tuple(_classes_of(calibrator))
    return off_its_rows(np.array(base_rates_of(calibrator)), labels, names)


def _trusted_labels(calibrator: Calibrator) -> FloatArray | None:
    """Number of labels of each class, if the calibrator takes them as right and knows them."""
    if calibrator.adjustments_ or calibrator.noise_ is not None:
        return None
    reference = reference_of(calibrator)
    if isinstance(reference, Reference):
        return np.array([reference.negatives.sum(), reference.positives.sum()])
    return None if reference.cells is None else np.asarray(reference.cells.counts.sum(axis=0))


def _sampled_base_rates(calibrator: Calibrator) -> FloatArray:
    """Base rates of the sampled rows: those of their labels, if these are taken as right."""
    labels = _trusted_labels(calibrator)
    if labels is None or not labels.all():  # no change makes rows of a class without any
        return np.array(base_rates_of(calibrator))
    return np.asarray(labels / labels.sum())


def with_base_rates(calibrator: Fitted, change: Adjustment) -> Fitted:
    """Apply a change of the true classes; labels stay as noisy as they were."""
    _check_ratios(change)
    reference = calibrator.reference_
    if not isinstance(reference, Reference):
        return adjusted(calibrator, change, None, calibrator.noise_)
    positive = calibrator.map_.apply_unchecked(reference.scores)
    truth = np.array([1.0 - positive, positive])
    noise = expected_noise(calibrator)
    ratios = np.array(change.ratios)
    weights = []
    for label in range(2):
        joint = truth * noise[:, label, None]
        total = joint.sum(axis=0)
        # where a label is impossible, it counts for what it says
        weights.append(
            np.where(total > 0.0, ratios @ joint / np.where(total, total, 1.0), ratios[label])
        )
    return adjusted(calibrator, change, reweighted(reference, *weights), calibrator.noise_)


def as_base_rates(calibrator: Calibrator, given: Shares) -> tuple[float, ...]:
    """Check base rates, and return the share of each class."""
    inside = Between(0.0, 1.0, open="both")
    if not isinstance(calibrator.map_, ClassMap) and not isinstance(given, Mapping | Iterable):
        check_parameter("base_rate", given, inside)
        return 1.0 - float(given), float(given)
    if not isinstance(given, Mapping | Iterable):
        raise ParameterError(message("base_rate to have a number for each class", f"{given!r}"))
    shares = _by_class(calibrator, given, "base_rate", missing=None)
    for share in shares:
        check_parameter("every base rate", share, inside)
    if abs(sum(shares) - 1.0) > SUM:
        raise ParameterError(message("base rates that add up to 1", f"{sum(shares):g}"))
    return tuple(share / sum(shares) for share in shares)


def _kept(calibrator: Calibrator, given: Shares) -> FloatArray:
    shares: Iterable[float]
    if isinstance(given, Mapping | Iterable):
        shares = _by_class(calibrator, given, "kept", missing=1.0)
    elif isinstance(calibrator.map_, ClassMap):
        hint = "name each class, for example {'a': 0.1, 'b': 0.5}"
        raise ParameterError(message("kept to have a number for each class", f"{given!r}", hint))
    else:
        check_parameter("kept", given, NEGATIVES_KEPT)
        shares = (given, 1.0)
    for share in shares:
        check_parameter("kept", share, Between(0.0, float("inf"), open="both"))
    return np.array([float(share) for share in shares])


def _by_class(
    calibrator: Calibrator, given: Any, name: str, missing: float | None
) -> tuple[float, ...]:
    """One number for each class, from a sequence or a mapping."""
    classes = _classes_of(calibrator)
    if not isinstance(given, Mapping):
        found = tuple(given)
        if len(found) != len(classes):
            expected = f"{name} to have {len(classes)} numbers, one for each class"
            raise ParameterError(message(expected, f"{len(found)}"))
        return found
    by_key = {class_key(label): share for label, share in given.items()}
    keys = [class_key(label) for label in classes]
    unknown = [label for label in given if class_key(label) not in keys]
    if unknown or (missing is None and len(by_key) < len(keys)):
        expected = f"{name} of the classes {', '.join(map(str, classes))}"
        raise ParameterError(message(expected, ", ".join(map(str, given))))
    return tuple(cast("float", by_key.get(key, missing)) for key in keys)


def _classes_of(calibrator: Calibrator) -> list[Any]:
    """The classes, negative first; without names of their own, 0 and 1."""
    if isinstance(calibrator, ClassCalibrator) and hasattr(calibrator, "classes_"):
        return list(calibrator.classes_.tolist())
    return [0, 1]


def _check_ratios(change: Adjustment) -> None:
    ratios = np.array(change.ratios)
    if not (ratios.min() > 0.0 and ratios.max() / ratios.min() <= 1.0 / LEAST_FACTOR):
        shown = ", ".join(f"{share:.3g}" for share in change.before)
        expected = f"odds that change by a factor of {1.0 / LEAST_FACTOR:g} at most"
        hint = f"the rows of the fit have the base rates {shown}"
        raise ParameterError(message(expected, f"{ratios.max() / ratios.min():.3g}", hint))
