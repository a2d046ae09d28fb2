"""Verdicts about new scores, and the limits behind them: for two classes and for more."""

from __future__ import annotations

from typing import Literal, TypeAlias

from lwcal.adjustments import percent
from lwcal.calibrators import Audited, Calibrator, NoiseAware, Reviewed
from lwcal.errors import InputError
from lwcal.estimates import Estimate

ALPHA = 0.001
"""Significance level of the test that scores within the classes are as before."""
MOVED = 0.1
"""Distance from every mixture, as a part of the smallest class, below which no harm is done. On
development tasks, distances above it raised the log loss by 2% and more."""
LEAST_ROWS = 100
"""New rows below which the base rate counts as unchanged."""
LEAST_LABELS = 10.0
"""Rows of the fit with each label. Fewer do not show how the scores of a class are distributed, nor
how often it should be expected."""
WIDE = 3.0
"""Ratio of the odds at the ends of an interval from which on it is called wide."""

Verdict: TypeAlias = Literal[
    "adapted", "no change", "scores moved", "labels contradict", "cannot tell"
]
REFUSED = ("scores moved", "labels contradict", "cannot tell")
"""Verdicts without a calibrator."""


def refuse_opinions(calibrator: Calibrator) -> None:
    """Refuse a calibrator whose rows have several labels each."""
    if isinstance(calibrator, Reviewed) and calibrator.reviews_ is not None:
        raise InputError(
            "New scores are compared with rows of one label each, and this calibrator was fitted "
            "to several opinions. If the base rate is known, use lwcal.shift.to_base_rate."
        )


def noise_is_sure(calibrator: Calibrator) -> bool:
    """Whether the noise is known from outside the labels: given, or from checked rows."""
    if isinstance(calibrator, Audited):
        return True
    if not isinstance(calibrator, NoiseAware):
        return False
    return calibrator.noise_rates is not None or calibrator.noise_matrix is not None


def interval_of(estimate: Estimate) -> str:
    """Both ends of an interval.

    >>> interval_of(Estimate(0.05, 0.04, 0.111))
    '4% to 11%'
    """
    return f"{percent(estimate.low)} to {percent(estimate.high)}"


def is_wide(estimate: Estimate) -> bool:
    """Whether the odds at the ends of an interval differ by much.

    >>> is_wide(Estimate(0.05, 0.04, 0.06)), is_wide(Estimate(0.05, 0.0, 0.06))
    (False, True)
    """
    return _odds(estimate.high) > WIDE * _odds(estimate.low)


def unexplained(distance: float) -> str:
    """Why scores that moved are refused."""
    return (
        f"The scores moved in a way that no base rate explains: {percent(distance)} of the new "
        "rows lie elsewhere. So the calibrator is not adapted. Label some of the new rows, and fit "
        "a calibrator to them."
    )


def contradicted(several: str, *, trusts_labels: bool) -> str:
    """Why a calibrator is refused whose labels cannot be what it takes them for."""
    believed = (
        "if every label of the fit is right"
        if trusts_labels
        else "with the label noise that was estimated in the fit"
    )
    hint = "Auto or NoiseAware" if trusts_labels else "a calibrator with checked labels"
    return (
        f"{several} from 0% to 100% explains the new scores {believed}. So the calibrator is not "
        f"adapted. Fit {hint}, or give the base rate if it is known."
    )


def _odds(share: float) -> float:
    return share / max(1.0 - share, 1e-12)
