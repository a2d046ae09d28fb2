"""Check what users know of the label noise of several classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.rows.values import as_floats

WORST_CONDITION = 1e3
"""Condition number from which on labels say next to nothing about the truth."""
NEVER_GIVEN = (
    "labels of the other classes fit any share of a class that is never a label, so they do not "
    "identify it; leave this class out, or check some labels and use Audited"
)


def as_noise_matrix(matrix: FloatArray, n_classes: int) -> FloatArray:
    """Check a noise matrix: shares in [0, 1], rows that sum to 1, and an inverse.

    >>> as_noise_matrix([[0.9, 0.2], [0.2, 0.8]], 2)
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected every row of noise_matrix to sum to 1, got 1.1 in row 0...
    """
    found = as_floats(matrix, "noise_matrix")
    if found.shape != (n_classes, n_classes):
        expected = f"noise_matrix of shape ({n_classes}, {n_classes})"
        raise ParameterError(message(expected, f"{found.shape}"))
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise ParameterError(message("noise_matrix of shares from 0 to 1", "others"))
    sums = found.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1.0) > 1e-6)
    if len(bad):
        got = f"{sums[bad[0]]:.6g} in row {bad[0]}"
        hint = "row k holds the probability of each label for rows of true class k"
        raise ParameterError(message("every row of noise_matrix to sum to 1", got, hint))
    found = found / sums[:, None]
    never = np.flatnonzero(found.max(axis=0) == 0.0)
    if len(never):
        got = f"only zeros in column {never[0]}"
        raise ParameterError(
            message("noise_matrix in which every class is a label", got, NEVER_GIVEN)
        )
    if np.linalg.cond(found) >= WORST_CONDITION:
        hint = "labels hardly tell some classes apart, so nothing follows from them"
        raise ParameterError(message("noise_matrix with an inverse", "none, or nearly none", hint))
    return np.asarray(found)


def as_prior_rates(rates: Sequence[float], n_classes: int) -> FloatArray:
    """Check the expected share of wrong labels of each class."""
    found = as_floats(rates, "prior_rates")
    if found.shape != (n_classes,) or not ((found >= 0.0) & (found < 1.0)).all():
        expected = f"prior_rates of {n_classes} shares from 0 to below 1, one for each class"
        raise ParameterError(message(expected, f"{rates!r}"))
    return found
