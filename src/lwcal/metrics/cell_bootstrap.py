"""Bootstrap intervals for the difference of two methods on the same cells."""

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, message, offending_rows
from lwcal.estimates import Estimate
from lwcal.metrics.resampling import Resampling, Seed
from lwcal.rows import ArrayLike, as_floats

DRAWS_AT_ONCE = 1 << 16
"""Number of cells drawn at once. Their 1 MB stays in the cache, which halves the time."""


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n_resamples: int = 2000,
    confidence: float = 0.9,
    random_state: Seed = 0,
) -> Estimate:
    """Estimate the mean of ``a - b`` over matched cells, with a bootstrap interval.

    Parameters
    ----------
    a, b : one-dimensional
        Results of two methods in the same cells. A cell is, for example, a dataset and a seed.
    n_resamples : int, default 2000
        How many times the cells are drawn again, with replacement.
    confidence : float, default 0.9
        Level of the percentile interval.
    random_state : int, numpy Generator or None, default 0
        Random seed. None gives a different result every time.

    Returns
    -------
    Estimate
        ``value``, ``low`` and ``high``.

    Examples
    --------
    >>> delta = paired_bootstrap([0.10, 0.12, 0.11, 0.14], [0.15, 0.16, 0.18, 0.17])
    >>> round(delta.value, 4), delta.high < 0
    (-0.0475, True)
    """
    resampling = Resampling(confidence, n_resamples, random_state)
    differences = _matched_differences(a, b)
    means = _resampled_means(differences, n_resamples, resampling.generator())
    return resampling.estimate(float(differences.mean()), means)


def _matched_differences(a: ArrayLike, b: ArrayLike) -> FloatArray:
    of_a, of_b = _as_cells(a, "a"), _as_cells(b, "b")
    if len(of_a) != len(of_b):
        raise InputError(
            f"a has {len(of_a):,} values but b has {len(of_b):,}. Keep only cells that both have."
        )
    return np.asarray(of_a - of_b)


def _as_cells(values: ArrayLike, name: str) -> FloatArray:
    cells = as_floats(values, name)
    if cells.ndim != 1 or cells.size == 0:
        got = f"an array of shape {cells.shape}"
        raise InputError(message(f"{name} to be one-dimensional and not empty", got))
    bad = ~np.isfinite(cells)
    if bad.any():
        got = offending_rows(bad, cells, "that are NaN or infinite")
        raise InputError(
            message(f"{name} to be finite", got, "remove these cells from both a and b")
        )
    return cells


def _resampled_means(
    values: FloatArray, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    n = len(values)
    at_once = max(DRAWS_AT_ONCE // n, 1)
    blocks = (min(at_once, n_resamples - done) for done in range(0, n_resamples, at_once))
    means = [values[generator.integers(n, size=(block, n))].mean(axis=1) for block in blocks]
    return np.concatenate(means)
