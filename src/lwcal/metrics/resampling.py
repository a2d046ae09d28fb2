"""Draw rows again with replacement, and read percentile intervals off the draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.parameters import CONFIDENCE, COUNT, check_parameter

Seed: TypeAlias = int | np.random.Generator | None
"""A random seed, a generator, or None for a different result every time."""


@dataclass(frozen=True)
class Resampling:
    """How many resamples to draw, and how to read an interval off them.

    Attributes
    ----------
    confidence : float
        Level of the interval.
    n_resamples : int
    random_state : int, numpy Generator or None
    """

    confidence: float
    n_resamples: int
    random_state: Seed

    def __post_init__(self) -> None:
        check_parameter("confidence", self.confidence, CONFIDENCE)
        check_parameter("n_resamples", self.n_resamples, COUNT)

    @property
    def tails(self) -> tuple[float, float]:
        """Quantile levels of the lower and the upper end of the interval."""
        tail = (1.0 - self.confidence) / 2
        return tail, 1.0 - tail

    def estimate(self, value: float, resampled: FloatArray) -> Estimate:
        """A value, with the interval of what it is in the resamples."""
        if len(resampled) == 0:
            raise InputError(
                "No resample holds both classes, because one class has too little weight. "
                "Use more rows."
            )
        low, high = np.quantile(resampled, self.tails)
        return Estimate(value, float(low), float(high))

    def generator(self) -> np.random.Generator:
        """Return the generator that the resamples are drawn with."""
        return np.random.default_rng(self.random_state)


def resampled_counts(
    labels: LabelArray,
    counts: FloatArray,
    n_resamples: int,
    generator: np.random.Generator,
) -> Iterator[FloatArray]:
    """Yield how often each distinct row is drawn, for one resample after the other.

    A resample that misses one of the given labels is skipped.
    """
    size = _n_draws(float(counts.sum()))
    shares = counts / counts.sum()
    n_classes = len(np.unique(labels))
    for _ in range(n_resamples):
        draw = generator.multinomial(size, shares).astype(np.float64)
        if n_classes == 1 or len(np.unique(labels[draw > 0])) == n_classes:
            yield draw


def _n_draws(total: float) -> int:
    if round(total) < 1:
        raise InputError(
            f"The values of sample_weight add up to {total:g}, which is less than one row. "
            "Weights are frequencies here; do not normalise them."
        )
    return round(total)
