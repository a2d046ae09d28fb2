"""The usual metrics with intervals, of tables of any size."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from lwcal.metrics._table import require_both_classes
from lwcal.metrics.calibration import N_BINS
from lwcal.metrics.corrected import CONFIDENCE, ESTIMATORS
from lwcal.metrics.correction import Corrected, Estimator, Resampling, estimates
from lwcal.metrics.gaps import binned_error
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

EXACT = 20_000
"""Tables with more distinct probabilities are pooled before rows are drawn anew from them."""
N_RESAMPLES = 300
TRUSTED = RatePosterior.known((0.0, 0.0))


def trusted_intervals(table: ScoreTable) -> dict[str, Corrected]:
    """Metrics against labels that are right: values as :func:`lwcal.metrics.evaluate` has them.

    >>> table = ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9] * 50, [0, 0, 1, 1] * 50)
    >>> found = trusted_intervals(table)
    >>> round(found["brier"].value, 3), found["auc"].value
    (0.085, 1.0)
    """
    require_both_classes(table, "evaluate")
    plain_error = partial(binned_error, n_bins=N_BINS, debias=False)
    return _intervals(table, TRUSTED, {**ESTIMATORS, "ece": plain_error})


def corrected_intervals(table: ScoreTable, rates: RatePosterior) -> dict[str, Corrected]:
    """Metrics against true labels, as :func:`lwcal.metrics.corrected_evaluate` estimates them."""
    return _intervals(table, rates, ESTIMATORS)


def _intervals(
    table: ScoreTable, rates: RatePosterior, made: Mapping[str, Callable[[ScoreTable], Estimator]]
) -> dict[str, Corrected]:
    small = table if len(table) <= EXACT else pool_by_logit(table)
    resampling = Resampling(CONFIDENCE, N_RESAMPLES, random_state=0)
    estimators: dict[str, Estimator] = {name: make(small) for name, make in made.items()}
    found = estimates(small, rates, estimators, resampling)
    if small is table:
        return found
    values = {name: make(table).of_data(table, rates.mean()) for name, make in made.items()}
    return {name: _around(values[name], interval) for name, interval in found.items()}


def _around(value: float, found: Corrected) -> Corrected:
    """Put the exact value in place of that of the pooled table."""
    return replace(found, value=value, low=min(found.low, value), high=max(found.high, value))
