"""Adapt a calibrator of several classes to the base rates of new rows, if their scores allow it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import rel_entr

from lwcal.adjustments import Adjustment, Reason, percent
from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.calibrators.base import reference_of
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.multiclass.class_cells import MOST_CLASSES, ClassCells
from lwcal.shift.adjusting import base_rates_of
from lwcal.shift.base_rate import CONFIDENCE
from lwcal.shift.class_base_rates import (
    ClassBaseRates,
    class_base_rates_from,
    rates_if_labels_are_wrong,
)
from lwcal.shift.class_mixture import ClassMixture, fit_class_mixture
from lwcal.shift.known import Shares, as_base_rates, rates_off_its_rows, with_base_rates
from lwcal.shift.verdicts import (
    ALPHA,
    LEAST_ROWS,
    MOVED,
    REFUSED,
    Verdict,
    contradicted,
    interval_of,
    is_wide,
    noise_is_sure,
    refuse_opinions,
    unexplained,
)

SAME = 0.01
"""Significance level of the test that the base rates are as before. At 5%, a few unchanged samples
of ten classes were adapted, and lost by it."""
IMPOSSIBLE = 0.01
"""Probability of base rates from 0 to 1 below which the labels are not what they are taken for."""
LEAST_LABELS = 10.0
"""Rows of the fit with each label. Fewer do not show how its scores are distributed."""
UNKNOWN = 0.5
"""Part of the change from which on too much of it stays unknown."""
WIDEST = 0.5
"""Width of an interval from which on the scores hardly say anything about a class."""
MOST_NAMED = 5
"""Classes that the sentence names."""


class ClassAdaptation(NamedTuple):
    """What new scores of several classes say about their base rates.

    With two classes, it is an :class:`~lwcal.shift.Adaptation`.

    Attributes
    ----------
    verdict : {"adapted", "no change", "scores moved", "labels contradict", "cannot tell"}
        The calibrator has other base rates; they may be as before; scores changed in a way that no
        base rates explain; no base rates from 0 to 1 are possible with the labels of the fit; or
        the scores do not tell the classes apart well enough, or the answer depends on how many of
        the trusted labels are wrong.
    calibrator : Calibrator or None
        The adapted one; the one that was passed if nothing changed; None if it was refused.
    classes : tuple
        The classes, in the order of the base rates.
    before : tuple of float
        Base rates of the rows of the fit, by the calibrator.
    base_rates : tuple of Estimate, or None
        Base rates of the new rows, estimated from their scores; None if they were refused.
    given : tuple of float, or None
        The known base rates, if there are some.
    p_value : float
        Of the test that scores within the classes are distributed as in the fit.
    distance : float
        Share of the new rows whose scores no base rates explain.
    unknown : float
        Part of the change of the base rates that the scores do not tell, from 0 to 1.
    unclear : tuple
        If the scores cannot tell: the classes that have too few labels in the fit, or the two
        whose scores are too alike.
    n : float
        Number of new rows, or their weight.
    trusts_labels : bool
        Whether the calibrator takes every label of the fit as right.
    confidence : float
        Level of each interval.
    doubt : str or None
        Why it was refused, if the calibrator does not follow the labels of its fit.
    """

    verdict: Verdict
    calibrator: Calibrator | None
    classes: tuple[Any, ...]
    before: tuple[float, ...]
    base_rates: tuple[Estimate, ...] | None
    given: tuple[float, ...] | None
    p_value: float
    distance: float
    unknown: float
    unclear: tuple[Any, ...]
    n: float
    trusts_labels: bool
    confidence: float = CONFIDENCE
    doubt: str | None = None

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return self.doubt or " ".join(_sentences(self))

    @property
    def contradicts_given(self) -> bool:
        """Whether the scores suggest other base rates than those that were given."""
        if self.given is None or self.base_rates is None:
            return False
        pairs = zip(self.base_rates, self.given, strict=True)
        return not all(one.low <= share <= one.high for one, share in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the calibrator, for JSON."""
        document = self._asdict()
        del document["calibrator"]
        found = self.base_rates
        document["base_rates"] = None if found is None else [one.to_dict() for one in found]
        for name in ("classes", "before", "given", "unclear"):
            shown = document[name]
            document[name] = None if shown is None else list(shown)
        return {**document, "sentence": self.sentence}


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
        if judged.verdict == "adapted" and given is None and calibrator.noise_ is None:
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
    """Refuse a change that could do harm if some of the labels, which were trusted, are wrong."""
    assert judged.estimates is not None
    columns = zip(judged.estimates, *readings, strict=True)
    widened = tuple(
        Estimate(one.value, min(one.low, *rates), max(one.high, *rates)) if rates else one
        for one, *rates in columns
    )
    values = np.array([one.value for one in judged.estimates])
    costs = [
        tuple(
            float(rel_entr(rates, np.maximum(shares, 1e-12)).sum()) for shares in (values, before)
        )
        for rates in map(np.array, readings)
    ]
    judged = judged._replace(estimates=widened)
    if all(after <= UNKNOWN * at_stake for after, at_stake in costs):
        return judged
    return judged._replace(verdict="cannot tell", after=None)


def _unknown(found: ClassBaseRates, values: FloatArray, before: FloatArray) -> float:
    """Part of the change that stays unknown: what a wrong base rate costs at most, in log loss.

    The expected cost of the estimated base rates, as a part of that of the old ones.
    """
    left, at_stake = (
        float(found.weights @ rel_entr(found.draws, shares).sum(axis=1))
        for shares in (values, np.maximum(before, 1e-12))
    )
    return left / at_stake if at_stake > left else 1.0


def _alike(found: ClassBaseRates, names: tuple[Any, ...]) -> tuple[Any, ...]:
    """The two classes of which the one may be taken for the other."""
    covariance = np.cov(found.draws.T, aweights=found.weights)
    first, second = np.unravel_index(covariance.argmin(), covariance.shape)
    return names[min(first, second)], names[max(first, second)]


def _sentences(found: ClassAdaptation) -> Iterator[str]:
    if found.verdict == "scores moved":
        yield unexplained(found.distance)
    elif found.verdict == "labels contradict":
        yield contradicted("No set of base rates", trusts_labels=found.trusts_labels)
    elif found.verdict == "cannot tell":
        yield from _doubts(found)
    elif found.verdict == "no change":
        if found.n < LEAST_ROWS:
            yield (
                f"{found.n:,.0f} new rows are too few to change the base rates: the calibrator "
                f"stays as it is. At least {LEAST_ROWS} are needed."
            )
            return
        if found.base_rates is not None:
            yield f"The base rates may be as before: {_changes(found)}."
        yield "The calibrator stays as it is."
    else:
        yield from _adapted(found)


def _doubts(found: ClassAdaptation) -> Iterator[str]:
    named = _listed(found.unclear)
    if found.base_rates is None:
        yield (
            f"Fewer than {LEAST_LABELS:.0f} rows of the fit have the label {named}. They do not "
            "tell how its scores are distributed."
        )
    elif not found.unclear:
        yield (
            "The base rates changed. By how much depends on how many labels of the fit are wrong: "
            f"possible are {_changes(found)}. To adapt the calibrator could do harm, so it is not "
            "adapted. Fit Auto or NoiseAware, check labels, or give the base rates if they are "
            "known."
        )
        return
    else:
        yield (
            f"The base rates changed, but the new scores do not tell how: {named} are too alike. "
            f"Possible are {_changes(found)}."
        )
    yield (
        "So the calibrator is not adapted. More rows, or checked labels of the fit, may tell; or "
        "give the base rates if they are known."
    )


def _adapted(found: ClassAdaptation) -> Iterator[str]:
    if found.given is not None:
        yield f"The base rates are given: {_changes(found)}."
        if found.base_rates is None:
            yield (
                f"The scores were not tested, because fewer than {LEAST_LABELS:.0f} rows of the "
                f"fit have the label {_listed(found.unclear)}."
            )
        else:
            yield from _other_suggestion(found.given, found.base_rates, found.classes)
    else:
        right = ", if every label is right" * found.trusts_labels
        yield f"The base rates changed{right}: {_changes(found)}."
        wide = [
            name
            for name, one in zip(found.classes, found.base_rates or (), strict=True)
            if is_wide(one)
        ]
        if wide:
            yield (
                f"The interval of {_listed(wide)} is wide. More new rows, more rows of the fit or "
                "more checked labels would narrow it."
            )
    yield (
        "This holds if only the base rates changed. Scores cannot prove that; labels of some new "
        "rows can."
    )


def _other_suggestion(
    given: tuple[float, ...], estimates: tuple[Estimate, ...], names: tuple[Any, ...]
) -> Iterator[str]:
    outside = [
        f"{name!r} {interval_of(one)}"
        for name, one, share in zip(names, estimates, given, strict=True)
        if not one.low <= share <= one.high
    ]
    if outside:
        yield f"The scores themselves suggest {_first(outside)}; check the given ones."


def _changes(found: ClassAdaptation) -> str:
    """The classes that changed most: from what, to what."""
    after = found.given
    if after is None:
        after = tuple(one.value for one in found.base_rates or ())
    order = np.argsort([-abs(now - then) for now, then in zip(after, found.before, strict=True)])
    shown = []
    for k in order.tolist():
        interval = ""
        if found.given is None and found.base_rates is not None:
            interval = f" ({interval_of(found.base_rates[k])})"
        now = f"{percent(after[k])}{interval}"
        shown.append(f"{found.classes[k]!r} from {percent(found.before[k])} to {now}")
    return _first(shown)


def _first(parts: list[str]) -> str:
    more = len(parts) - MOST_NAMED
    return ", ".join(parts[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _listed(names: Any) -> str:
    shown = [repr(name) for name in names]
    return " and ".join(shown) if len(shown) == 2 else _first(shown)
