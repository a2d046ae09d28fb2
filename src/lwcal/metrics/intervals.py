"""Metrics with intervals, of tables of any size."""

from collections.abc import Callable, Mapping
from functools import partial

from lwcal.estimates import Estimate
from lwcal.metrics.binned_error import binned_error
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.corrected import ESTIMATORS
from lwcal.metrics.inputs import require_both_classes
from lwcal.metrics.noise_correction import Estimator, estimates
from lwcal.metrics.resampling import Resampling
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

EXACT = 20_000
"""A table with more distinct probabilities is pool_by_logit before its rows are drawn again."""
CONFIDENCE = 0.9
"""Level of all intervals."""
N_RESAMPLES = 300
TRUSTED = RatePosterior.known((0.0, 0.0))
_plain_error = partial(binned_error, n_bins=N_BINS, debias=False)


def trusted_intervals(table: ScoreTable) -> dict[str, Estimate]:
    """Estimate metrics against labels that are right.

    The values equal those of :func:`lwcal.metrics.evaluate`. The intervals are 90% intervals.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9] * 50, [0, 0, 1, 1] * 50)
    >>> found = trusted_intervals(table)
    >>> round(found["brier"].value, 3), found["auc"].value
    (0.085, 1.0)
    """
    require_both_classes(table, "evaluate")
    return _intervals(table, TRUSTED, {**ESTIMATORS, "ece": _plain_error})


def ece_interval(table: ScoreTable) -> Estimate:
    """Estimate the ECE against labels that are right, also where all are of one class."""
    return _intervals(table, TRUSTED, {"ece": _plain_error})["ece"]


def corrected_intervals(table: ScoreTable, rates: RatePosterior) -> dict[str, Estimate]:
    """Estimate metrics against true labels, as :func:`lwcal.metrics.corrected_evaluate` does.

    The intervals are 90% intervals.
    """
    return _intervals(table, rates, ESTIMATORS)


def _intervals(
    table: ScoreTable, rates: RatePosterior, made: Mapping[str, Callable[[ScoreTable], Estimator]]
) -> dict[str, Estimate]:
    small = table if len(table) <= EXACT else pool_by_logit(table)
    resampling = Resampling(CONFIDENCE, N_RESAMPLES, random_state=0)
    estimators: dict[str, Estimator] = {name: make(small) for name, make in made.items()}
    found = estimates(small, rates, estimators, resampling)
    if small is table:
        return found
    values = {name: make(table).of_data(table, rates.mean()) for name, make in made.items()}
    return {name: _around(values[name], interval) for name, interval in found.items()}


def _around(value: float, found: Estimate) -> Estimate:
    """Replace the value of the pool_by_logit table by the exact one."""
    return Estimate(value, min(found.low, value), max(found.high, value))
