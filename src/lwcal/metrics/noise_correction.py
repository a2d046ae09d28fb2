"""Correct counts of labels for noise, and estimate metrics of the corrected counts.

Class-conditional noise mixes the counts of the two classes at every probability. The mixing is
linear, and so is its inverse. For mean losses, a metric of the corrected counts is the loss
correction of Natarajan et al. (2013). For AUC it is the correction of Menon et al. (2015).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.metrics.inputs import DerivedTable
from lwcal.metrics.resampling import Resampling, resampled_counts
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.table import ScoreTable

Statistic: TypeAlias = Callable[[ScoreTable, FlipRates], float]
"""A metric of noisy counts and flip rates. It is NaN where the metric has no value."""
Range: TypeAlias = tuple[float, float]
"""Smallest and largest value that a draw supports. For most metrics the two are equal."""


class Estimator(NamedTuple):
    """How to compute a metric from the data, and from rows that are drawn from the data."""

    of_data: Statistic
    of_draw: Callable[[ScoreTable, FlipRates], Range]


def clean_counts(
    negatives: FloatArray, positives: FloatArray, rates: FlipRates
) -> tuple[FloatArray, FloatArray]:
    """Estimate the counts of true labels from the counts of noisy labels.

    The estimated counts have the given ones as expected noisy counts, and the same total. They
    are negative where there are fewer labels of a class than noise alone would produce.

    Examples
    --------
    >>> clean_counts(np.array([6.0, 0.0]), np.array([4.0, 1.0]), FlipRates(0.25, 0.25))
    (array([ 7. , -0.5]), array([3. , 1.5]))
    """
    clean_negatives = (1.0 - rates.positive) * negatives - rates.positive * positives
    clean_positives = (1.0 - rates.negative) * positives - rates.negative * negatives
    return clean_negatives / rates.kept, clean_positives / rates.kept


def clean_table(table: ScoreTable, rates: FlipRates) -> ScoreTable:
    """Correct the counts of a table, for metrics that are linear or bilinear in the counts."""
    return DerivedTable(table.scores, *clean_counts(table.negatives, table.positives, rates))


def from_resamples(statistic: Statistic) -> Estimator:
    """Return an estimator that treats a draw like the data: the ordinary bootstrap."""

    def of_draw(table: ScoreTable, rates: FlipRates) -> Range:
        value = statistic(table, rates)
        return value, value

    return Estimator(statistic, of_draw)


def from_clean_counts(metric: Callable[[ScoreTable], float]) -> Estimator:
    """Return an estimator that applies an ordinary metric to the corrected counts."""
    return from_resamples(lambda table, rates: metric(clean_table(table, rates)))


def estimates(
    table: ScoreTable,
    posterior: RatePosterior,
    estimators: Mapping[str, Estimator],
    resampling: Resampling,
) -> dict[str, Estimate]:
    """Estimate metrics with intervals, all from the same resamples."""
    mean = posterior.mean()
    values = {name: estimator.of_data(table, mean) for name, estimator in estimators.items()}
    resampled: dict[str, list[Range]] = {name: [] for name in estimators}
    for draw, rates in resampled_tables(table, posterior, resampling):
        for name, estimator in estimators.items():
            resampled[name].append(estimator.of_draw(draw, rates))
    return {
        name: with_interval(value, np.reshape(resampled[name], (-1, 2)), resampling)
        for name, value in values.items()
    }


def resampled_tables(
    table: ScoreTable, posterior: RatePosterior, resampling: Resampling
) -> Iterator[tuple[DerivedTable, FlipRates]]:
    """Draw rows with replacement, each time together with flip rates from their posterior."""
    generator = resampling.generator()
    rates = posterior.draw(resampling.n_resamples, generator)
    return zip(_redrawn(table, resampling.n_resamples, generator), rates, strict=True)


def _redrawn(
    table: ScoreTable, n_resamples: int, generator: np.random.Generator
) -> Iterator[DerivedTable]:
    counts = np.concatenate((table.negatives, table.positives))
    cells = np.flatnonzero(counts)
    # a draw need not hold both noisy labels: the metric decides whether it has a value there
    any_label = np.zeros(len(cells), dtype=np.uint8)
    for drawn in resampled_counts(any_label, counts[cells], n_resamples, generator):
        redrawn = np.zeros(len(counts))
        redrawn[cells] = drawn
        yield DerivedTable(table.scores, redrawn[: len(table)], redrawn[len(table) :])


def with_interval(value: float, resampled: FloatArray, resampling: Resampling) -> Estimate:
    """Set a value between the quantiles of the ends that the resamples support."""
    usable = resampled[~np.isnan(resampled).any(axis=1)]
    if len(usable) == 0:
        raise InputError(
            "The metric has a value in none of the resamples, because one class has too little "
            "weight. Use more rows."
        )
    low, high = (
        float(np.quantile(ends, tail))
        for ends, tail in zip(usable.T, resampling.tails, strict=True)
    )
    # clipping, or rates drawn around their mean, can leave all draws on one side of the value
    return Estimate(value, min(low, value), max(high, value))
