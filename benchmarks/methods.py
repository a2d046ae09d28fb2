"""The methods of the speed benchmark."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from betacal import BetaCalibration
from scipy.optimize import isotonic_regression
from sklearn.isotonic import IsotonicRegression
from venn_abers import VennAbers

import lwcal
from lwcal import kernels

LWCAL = "LWCal"
PURE = "LWCal on numpy"
GATED = "GatedLWCal"
ISOTONIC = "Isotonic"
SKLEARN = "scikit-learn"
SCIPY = "scipy"
PLATT = "Platt"
BETA = "Beta"
NOISE_AWARE = "NoiseAware"
AUTO = "Auto"
AUDITED = "Audited"
REVIEWED = "Reviewed"
BETACAL = "betacal"
VENN_ABERS = "venn-abers"
SORT = "np.sort"
COPY = "copy"
INTERP = "np.interp"

DESCRIPTIONS = {
    LWCAL: "`lwcal.LWCal().fit`",
    PURE: "the same without the compiled kernels",
    GATED: "`lwcal.GatedLWCal().fit`",
    ISOTONIC: "`lwcal.Isotonic().fit`",
    SKLEARN: '`sklearn.isotonic.IsotonicRegression(out_of_bounds="clip").fit`',
    SCIPY: "`scipy.optimize.isotonic_regression` of the labels after `np.argsort` of the scores",
    PLATT: "`lwcal.Platt().fit`",
    BETA: "`lwcal.Beta().fit`",
    NOISE_AWARE: "`lwcal.NoiseAware().fit`",
    AUTO: "`lwcal.Auto().fit`",
    BETACAL: '`betacal.BetaCalibration("abm").fit`',
    VENN_ABERS: "`venn_abers.VennAbers().fit`",
    SORT: "only `np.sort` of the scores",
    COPY: "only a copy of the scores",
}

Run = Callable[[], Any]


@contextmanager
def pure_kernels() -> Iterator[None]:
    """Use the numpy kernels instead of the compiled ones inside of the block."""
    before = {name: getattr(kernels, name) for name in kernels.KERNELS}
    try:
        for name in before:
            setattr(kernels, name, getattr(kernels.pure, name))
        yield
    finally:
        for name, function in before.items():
            setattr(kernels, name, function)


@dataclass(frozen=True)
class Fitter:
    """A method to fit. ``prepare`` takes the rows and returns the function to time."""

    name: str
    prepare: Callable[[np.ndarray, np.ndarray], Run]
    most_rows: float = float("inf")
    may_be_slow: bool = False


def _fit_pure(scores: np.ndarray, labels: np.ndarray) -> Run:
    def run():
        with pure_kernels():  # takes only a few microseconds
            return lwcal.LWCal().fit(scores, labels)

    return run


def _fit_scipy(scores: np.ndarray, labels: np.ndarray) -> Run:
    return lambda: isotonic_regression(labels[np.argsort(scores)])


def _fit_venn_abers(scores: np.ndarray, labels: np.ndarray) -> Run:
    probabilities = two_columns(scores)  # predict_proba returns this, so it is not timed
    return lambda: VennAbers().fit(probabilities, labels)


def two_columns(scores: np.ndarray) -> np.ndarray:
    """Probabilities of both classes, one column each."""
    return np.column_stack((1.0 - scores, scores))


def fit_sklearn(scores: np.ndarray, labels: np.ndarray) -> IsotonicRegression:
    """Isotonic regression of scikit-learn, as used for calibration."""
    return IsotonicRegression(out_of_bounds="clip").fit(scores, labels)


FITTERS = (
    Fitter(LWCAL, lambda s, y: lambda: lwcal.LWCal().fit(s, y)),
    Fitter(PURE, _fit_pure),
    Fitter(GATED, lambda s, y: lambda: lwcal.GatedLWCal().fit(s, y)),
    Fitter(ISOTONIC, lambda s, y: lambda: lwcal.Isotonic().fit(s, y)),
    Fitter(SKLEARN, lambda s, y: lambda: fit_sklearn(s, y)),
    Fitter(SCIPY, _fit_scipy),
    Fitter(PLATT, lambda s, y: lambda: lwcal.Platt().fit(s, y), may_be_slow=True),
    Fitter(BETA, lambda s, y: lambda: lwcal.Beta().fit(s, y), may_be_slow=True),
    Fitter(NOISE_AWARE, lambda s, y: lambda: lwcal.NoiseAware().fit(s, y)),
    Fitter(AUTO, lambda s, y: lambda: lwcal.Auto().fit(s, y)),
    Fitter(
        BETACAL,
        lambda s, y: lambda: BetaCalibration("abm").fit(s, y),
        most_rows=1e6,
        may_be_slow=True,
    ),
    Fitter(VENN_ABERS, _fit_venn_abers, most_rows=1e6, may_be_slow=True),
    Fitter(SORT, lambda s, y: lambda: np.sort(s)),
    Fitter(COPY, lambda s, y: lambda: s.copy()),
)
APPLIERS = (LWCAL, PURE, INTERP, SKLEARN, VENN_ABERS, COPY)
"""Methods to apply a map, in the order of the tables."""


def apply_runs(
    scores: np.ndarray, labels: np.ndarray, points: np.ndarray, *, with_venn_abers: bool
) -> tuple[dict[str, Run], int]:
    """Functions that map the points after a fit to the rows, and the knots of LWCal's map."""
    fitted = lwcal.LWCal().fit(scores, labels)
    x, y = fitted.map_.x, fitted.map_.y
    plain = fit_sklearn(scores, labels)

    def run_pure():
        with pure_kernels():
            return fitted.predict(points)

    runs: dict[str, Run] = {
        LWCAL: lambda: fitted.predict(points),
        PURE: run_pure,
        INTERP: lambda: np.interp(points, x, y),
        SKLEARN: lambda: plain.predict(points),
        COPY: lambda: points.copy(),
    }
    if with_venn_abers:
        venn_abers = VennAbers().fit(two_columns(scores), labels)
        probabilities = two_columns(points)
        runs[VENN_ABERS] = lambda: venn_abers.predict_proba(probabilities)
    return runs, len(x)
