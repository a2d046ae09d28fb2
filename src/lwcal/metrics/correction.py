"""From noisy counts to clean ones, and intervals that know how they were made.

Class-conditional noise mixes the counts of the two classes at every probability; the inverse of
that mixing is linear. A metric of the corrected counts is the loss correction of Natarajan et
al. (2013) for mean losses, and the correction of Menon et al. (2015) for AUC.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, message
from lwcal.metrics._table import pooled
from lwcal.metrics.bootstrap import Seed, resampled_counts
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.parameters import CONFIDENCE, COUNT, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

Statistic: TypeAlias = Callable[[ScoreTable, FlipRates], float]
"""A metric from noisy counts and the rates that made them; NaN where it has no value."""
Range: TypeAlias = tuple[float, float]
"""Least and largest value that a draw speaks for; for most metrics they are the same."""


@dataclass(frozen=True)
class Corrected:
    """A metric against true labels, estimated from noisy ones.

    Attributes
    ----------
    value : float
        Estimate with the expected flip rates.
    low, high : float
        Ends of an interval which holds the value, and carries both the sampling of the rows
        and what is not known of the rates.
    confidence : float
        Its nominal level.
    """

    value: float
    low: float
    high: float
    confidence: float


class Estimator(NamedTuple):
    """How a metric is found: of the data, and of rows drawn from them."""

    of_data: Statistic
    of_draw: Callable[[ScoreTable, FlipRates], Range]


@dataclass(frozen=True)
class Resampling:
    """How an interval is made."""

    confidence: float
    n_resamples: int
    random_state: Seed

    def __post_init__(self) -> None:
        check_parameter("confidence", self.confidence, CONFIDENCE)
        check_parameter("n_resamples", self.n_resamples, COUNT)

    @property
    def tails(self) -> tuple[float, float]:
        """Shares below and up to the upper end of the interval."""
        tail = (1.0 - self.confidence) / 2
        return tail, 1.0 - tail


def pooled_noisy(
    y: ArrayLike, probabilities: ArrayLike, sample_weight: ArrayLike | None, pos_label: Any
) -> ScoreTable:
    """Pool rows whose labels are noisy, with errors in these words.

    >>> pooled_noisy([0, 1, 1], [0.2, 0.2, 0.9], None, None)
    ScoreTable(3 rows, 2 distinct scores, 66.7% positive)
    """
    names = ("y", "probabilities")
    return pooled(y, probabilities, sample_weight, pos_label, names)


def clean_counts(
    negatives: FloatArray, positives: FloatArray, rates: FlipRates
) -> tuple[FloatArray, FloatArray]:
    """Counts of true labels whose expected noisy counts are those given.

    They keep the total, and can be negative where there are fewer labels of a class than noise
    alone would make.

    >>> clean_counts(np.array([6.0, 0.0]), np.array([4.0, 1.0]), FlipRates(0.25, 0.25))
    (array([ 7. , -0.5]), array([3. , 1.5]))
    """
    clean_negatives = (1.0 - rates.positive) * negatives - rates.positive * positives
    clean_positives = (1.0 - rates.negative) * positives - rates.negative * negatives
    return clean_negatives / rates.kept, clean_positives / rates.kept


def clean_table(table: ScoreTable, rates: FlipRates) -> ScoreTable:
    """Table of corrected counts, for metrics that are linear or bilinear in the counts."""
    return ScoreTable._trusted(table.scores, *clean_counts(table.negatives, table.positives, rates))


def from_resamples(statistic: Statistic) -> Estimator:
    """Estimator that treats what was drawn like the data: the ordinary bootstrap."""

    def of_draw(table: ScoreTable, rates: FlipRates) -> Range:
        value = statistic(table, rates)
        return value, value

    return Estimator(statistic, of_draw)


def from_clean_counts(metric: Callable[[ScoreTable], float]) -> Estimator:
    """Estimator that applies an ordinary metric to the corrected counts."""
    return from_resamples(lambda table, rates: metric(clean_table(table, rates)))


def estimates(
    table: ScoreTable,
    posterior: RatePosterior,
    estimators: Mapping[str, Estimator],
    resampling: Resampling,
) -> dict[str, Corrected]:
    """Estimate metrics with intervals, all from the same resamples."""
    mean = posterior.mean()
    values = {name: estimator.of_data(table, mean) for name, estimator in estimators.items()}
    resampled: dict[str, list[Range]] = {name: [] for name in estimators}
    for draw, rates in _draws(table, posterior, resampling):
        for name, estimator in estimators.items():
            resampled[name].append(estimator.of_draw(draw, rates))
    return {
        name: _with_interval(value, np.reshape(resampled[name], (-1, 2)), resampling)
        for name, value in values.items()
    }


def _draws(
    table: ScoreTable, posterior: RatePosterior, resampling: Resampling
) -> Iterator[tuple[ScoreTable, FlipRates]]:
    """Rows drawn with replacement, each time with one draw of the rates."""
    generator = np.random.default_rng(resampling.random_state)
    rates = posterior.draw(resampling.n_resamples, generator)
    return zip(_redrawn(table, resampling.n_resamples, generator), rates, strict=True)


def _redrawn(
    table: ScoreTable, n_resamples: int, generator: np.random.Generator
) -> Iterator[ScoreTable]:
    counts = np.concatenate((table.negatives, table.positives))
    cells = np.flatnonzero(counts)
    # a draw need not hold both noisy labels: the metric decides whether it has a value there
    of_one_kind = np.zeros(len(cells), dtype=np.uint8)
    for drawn in resampled_counts(of_one_kind, counts[cells], n_resamples, generator):
        redrawn = np.zeros(len(counts))
        redrawn[cells] = drawn
        yield ScoreTable._trusted(table.scores, redrawn[: len(table)], redrawn[len(table) :])


def _with_interval(value: float, resampled: FloatArray, resampling: Resampling) -> Corrected:
    usable = resampled[~np.isnan(resampled).any(axis=1)]
    if len(usable) == 0:
        raise InputError(
            message(
                "a resample in which the metric has a value",
                "none",
                "one class has too little weight; take more rows",
            )
        )
    low, high = (
        float(np.quantile(ends, tail))
        for ends, tail in zip(usable.T, resampling.tails, strict=True)
    )
    # rates drawn about their mean, or a clip, can leave all draws to one side of the value
    return Corrected(value, min(low, value), max(high, value), resampling.confidence)
