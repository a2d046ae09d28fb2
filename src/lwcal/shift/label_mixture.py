"""Explain new scores as a mixture of the rows of a fit with negative and with positive labels.

If only the base rate changed, the scores of true negatives and of true positives are distributed
as before. Rows with negative labels are a mixture of both, and so are rows with positive labels.
So new scores are a mixture of these two in turn, whatever the labels are worth: its share needs no
calibrated probability and no flip rate. With wrong labels it can leave [0, 1].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import chdtrc

from lwcal.arrays import FloatArray, IndexArray
from lwcal.reference import Reference

GROUPS = 20
"""Groups of neighbouring scores that are compared."""
LEAST_ROWS = 5
"""Rows of the smallest sample in each group, on average. With fewer, chi-square is inaccurate."""
SIGMAS = 2.0
"""Standard errors within which two shares may be the same."""
REACH = 8.0
"""Standard errors around a first estimate in which the share is searched."""


class LabelMixture(NamedTuple):
    """New scores as a mixture of rows with positive and with negative labels.

    Attributes
    ----------
    share : float
        Weight of the rows with positive labels; the weights add up to 1.
    error : float
        Standard error of the share.
    p_value : float
        Of the test that some mixture explains the new scores.
    distance : float
        Share of the new rows that lie in other groups than the mixture says, beyond chance.
    """

    share: float
    error: float
    p_value: float
    distance: float

    def may_be(self, share: float, n: float) -> bool:
        """Whether the share may be this one, which was found in so many other rows.

        >>> LabelMixture(0.28, 0.02, 0.5, 0.0).may_be(0.3, 1000)
        True
        """
        error = float(np.hypot(self.error, np.sqrt(share * (1.0 - share) / n)))
        return abs(self.share - share) <= SIGMAS * error


def fit_mixture(reference: Reference, new: FloatArray) -> LabelMixture:
    """Find the mixture by minimum chi-square.

    Parameters
    ----------
    reference : Reference
        Rows of the fit, by label.
    new : float64 array
        Weight of the new rows in each bin of the reference.

    Examples
    --------
    >>> edges, scores = np.array([0.25, 0.5, 0.75]), np.array([0.1, 0.3, 0.6, 0.9])
    >>> fitted = Reference(edges, scores, np.array([40, 30, 20, 10]), np.array([10, 20, 30, 40]))
    >>> found = fit_mixture(fitted, np.array([1750, 2250, 2750, 3250]))
    >>> round(found.share, 3), round(found.p_value, 3)
    (0.75, 1.0)
    """
    samples = np.array([reference.positives, reference.negatives, new])
    sizes = samples.sum(axis=1)
    groups = int(np.clip(sizes.min() // LEAST_ROWS, 2, GROUPS))
    counts = np.add.reduceat(samples, group_starts(samples / sizes[:, None], groups), axis=1)
    shares = counts / sizes[:, None]
    # half a row more in each group, so that an empty group has a variance
    variances = (counts + 0.5) / (sizes + 0.5 * counts.shape[1])[:, None] / sizes[:, None]

    def variance(share: float) -> FloatArray:
        squares = np.array([share**2, (1.0 - share) ** 2, 1.0])
        return np.asarray(squares @ variances)

    def rest(share: float) -> FloatArray:
        return np.asarray(shares[2] - share * shares[0] - (1.0 - share) * shares[1])

    def chi_square(share: float) -> float:
        return float((rest(share) ** 2 / variance(share)).sum())

    contrast = shares[0] - shares[1]
    share, error = 0.5, np.inf
    if contrast.any():
        weights = contrast / variance(0.5)
        share = float(weights @ (shares[2] - shares[1]) / (weights @ contrast))
        error = _error(contrast, variance(share))
        around = (share - REACH * error, share + REACH * error)
        share = float(minimize_scalar(chi_square, bounds=around, method="bounded").x)
        error = _error(contrast, variance(share))
    freedom = counts.shape[1] - 2
    p_value = float(chdtrc(freedom, chi_square(share))) if freedom > 0 else 1.0
    return LabelMixture(share, error, p_value, _distance(rest(share), variance(share)))


def _error(contrast: FloatArray, variance: FloatArray) -> float:
    return float(1.0 / np.sqrt((contrast**2 / variance).sum()))


def _distance(rest: FloatArray, variance: FloatArray) -> float:
    """Half the sum of all differences, less what chance is expected to add."""
    total = 0.5 * float(np.abs(rest).sum())
    by_chance = 0.5 * float(np.sqrt(2.0 * variance / np.pi).sum())
    return float(np.sqrt(max(total**2 - by_chance**2, 0.0)))


def group_starts(shares: FloatArray, groups: int) -> IndexArray:
    """First bin of each group of about equal weight; samples, of which each is a line, count alike.

    >>> group_starts(np.full((1, 6), 1 / 6), 3)
    array([0, 2, 4])
    """
    mean = shares.mean(axis=0)
    place = np.cumsum(mean) - mean / 2.0
    return np.flatnonzero(np.diff(np.floor(groups * place + 1e-9), prepend=-1.0))
