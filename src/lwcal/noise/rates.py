"""Flip rates, their posterior, and what they do to probabilities.

Class-conditional noise flips a negative label with probability r0 and a positive one with r1,
whatever the row. If r0 + r1 < 1, noisy labels still carry information about the truth, and every
clean quantity that is linear in the labels follows from its noisy counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message, offending_rows
from lwcal.noise.thinning import thin
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.parameters import CONFIDENCE, SHARE, Between, check_parameter
from lwcal.rows import as_floats


class FlipRates(NamedTuple):
    """Probabilities with which labels of each class are wrong.

    Attributes
    ----------
    negative : float
        r0, the probability that the label of a true negative is positive.
    positive : float
        r1, the probability that the label of a true positive is negative.

    Examples
    --------
    >>> FlipRates(negative=0.25, positive=0.5).kept
    0.25
    """

    negative: float
    positive: float

    @property
    def kept(self) -> float:
        """Share of any difference between the classes that noise keeps: 1 - r0 - r1."""
        return 1.0 - self.negative - self.positive


Pair: TypeAlias = Iterable[float]
"""Two numbers, r0 and r1; a :class:`FlipRates` is one."""


def as_flip_rates(value: Iterable[object]) -> FlipRates:
    """Check a pair of flip rates: two numbers of at least 0 whose sum is below 1.

    >>> as_flip_rates([0.1, 0.2])
    FlipRates(negative=0.1, positive=0.2)
    >>> as_flip_rates((0.6, 0.4))
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected flip rates that add up to less than 1, got 0.6 + 0.4; ...
    """
    try:
        negative, positive = value
    except (TypeError, ValueError):
        raise ParameterError(
            message(
                "flip rates to be a pair (r0, r1)",
                f"{value!r}",
                "r0 is the rate of true negatives, r1 that of true positives",
            )
        ) from None
    check_parameter("the flip rate of negatives", negative, SHARE)
    check_parameter("the flip rate of positives", positive, SHARE)
    rates = FlipRates(float(cast("float", negative)), float(cast("float", positive)))
    if rates.kept <= 0.0:
        raise ParameterError(
            message(
                "flip rates that add up to less than 1",
                f"{rates.negative:g} + {rates.positive:g}",
                "with higher rates, labels carry no information or say the opposite of the truth",
            )
        )
    return rates


def noisy_posterior(clean: npt.ArrayLike, noise_rates: Pair) -> FloatArray:
    """Turn the probability of a true positive into that of a positive noisy label.

    >>> noisy_posterior([0.0, 0.5, 1.0], (0.1, 0.3)).round(3)
    array([0.1, 0.4, 0.7])
    """
    known = as_flip_rates(noise_rates)
    return known.negative + known.kept * as_floats(clean, "the probabilities")


def clean_posterior(noisy: npt.ArrayLike, noise_rates: Pair) -> FloatArray:
    """Turn the probability of a positive noisy label into that of a true positive.

    This is the affine inverse of :func:`noisy_posterior`, and it is not clipped. These rates
    cannot produce probabilities below r0 or above 1 - r1; an estimate there gives a result below
    0 or above 1.

    >>> clean_posterior([0.1, 0.4, 0.76], (0.1, 0.3)).round(3)
    array([0. , 0.5, 1.1])
    """
    known = as_flip_rates(noise_rates)
    return (as_floats(noisy, "the probabilities") - known.negative) / known.kept


def clean_base_rate(noisy_base_rate: float, noise_rates: Pair) -> float:
    """Turn the share of positive noisy labels into the share of true positives, unclipped.

    >>> round(clean_base_rate(0.4, (0.1, 0.3)), 3)
    0.5
    """
    return float(clean_posterior(noisy_base_rate, noise_rates))


def class_contamination(noisy_base_rate: float, noise_rates: Pair) -> tuple[float, float]:
    """Shares of wrong labels among positive and among negative noisy labels.

    Parameters
    ----------
    noisy_base_rate : float
        Share of positive noisy labels, from r0 to 1 - r1 and neither 0 nor 1.
    noise_rates : pair of float
        r0 and r1.

    Returns
    -------
    alpha, beta : float
        P(true 0 | noisy 1) and P(true 1 | noisy 0).

    Examples
    --------
    >>> alpha, beta = class_contamination(0.4, (0.1, 0.3))
    >>> round(alpha, 3), round(beta, 3)
    (0.125, 0.25)
    """
    known = as_flip_rates(noise_rates)
    check_parameter("noisy_base_rate", noisy_base_rate, Between(0.0, 1.0, open="both"))
    possible = Between(known.negative, 1.0 - known.positive)
    check_parameter("noisy_base_rate", noisy_base_rate, possible)
    clean = clean_base_rate(noisy_base_rate, known)
    alpha = known.negative * (1.0 - clean) / noisy_base_rate
    return alpha, known.positive * clean / (1.0 - noisy_base_rate)


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """The posterior of the flip rates, as weighted draws.

    Attributes
    ----------
    points : float64 array of shape (k, 2)
        Pairs (r0, r1).
    weights : float64 array of shape (k,)
        Their probabilities, which add up to 1.

    Examples
    --------
    >>> posterior = RatePosterior(points=[[0.1, 0.2], [0.3, 0.2]], weights=[0.75, 0.25])
    >>> posterior.mean()
    FlipRates(negative=0.15..., positive=0.2)
    >>> posterior.interval(0.9)
    ((0.1, 0.3), (0.2, 0.2))
    """

    points: FloatArray
    weights: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _as_points(self.points))
        object.__setattr__(self, "weights", _as_probabilities(self.weights, len(self.points)))

    @classmethod
    def known(cls, rates: Pair) -> RatePosterior:
        """Return the posterior of known rates: one certain point.

        >>> RatePosterior.known((0.1, 0.2)).mean()
        FlipRates(negative=0.1, positive=0.2)
        """
        return cls(np.array([as_flip_rates(rates)]), np.ones(1))

    def mean(self) -> FlipRates:
        """Expected rates."""
        negative, positive = self.weights @ self.points
        return FlipRates(float(negative), float(positive))

    def interval(self, confidence: float = 0.9) -> tuple[tuple[float, float], tuple[float, float]]:
        """Equal-tailed intervals of r0 and of r1, each on its own."""
        check_parameter("confidence", confidence, CONFIDENCE)
        tail = (1.0 - confidence) / 2
        ends = (tail, 1.0 - tail)
        (low0, high0), (low1, high1) = (
            weighted_quantiles(column, self.weights, ends) for column in self.points.T
        )
        return (low0, high0), (low1, high1)

    def draw(self, n: int, generator: np.random.Generator) -> list[FlipRates]:
        """Draw n pairs by systematic resampling, in random order.

        A point of weight w is drawn ``n * w`` times, rounded up or down.

        >>> posterior = RatePosterior(points=[[0.1, 0.2], [0.3, 0.2]], weights=[0.75, 0.25])
        >>> sorted(rates.negative for rates in posterior.draw(4, np.random.default_rng(0)))
        [0.1, 0.1, 0.1, 0.3]
        """
        cumulative = np.cumsum(self.weights)
        places = (np.arange(n) + generator.random()) / n * cumulative[-1]
        chosen = np.searchsorted(cumulative, places, side="right")
        # rounding can carry the last place beyond the last point
        rows = self.points[np.minimum(chosen, len(self.points) - 1)]
        return [FlipRates(*pair) for pair in generator.permutation(rows).tolist()]

    def thinned(self, most: int = 200) -> RatePosterior:
        """Merge draws until at most ``most`` are left; mean and probability of no noise stay.

        >>> rates = np.linspace(0.1, 0.2, 1000)
        >>> many = RatePosterior(np.column_stack([rates, rates]), np.full(1000, 0.001))
        >>> len(many.thinned().points) <= 200, round(many.thinned().mean().negative, 6)
        (True, 0.15)
        """
        points, weights = thin(self.points, self.weights, most)
        return RatePosterior(points, np.minimum(weights, 1.0))  # a sum can round above 1


@runtime_checkable
class HasRatePosterior(Protocol):
    """Anything with an estimate of the rates, such as a fitted calibrator."""

    @property
    def rates_posterior(self) -> RatePosterior | None:
        """Posterior of the rates; None where none was inferred."""


Noise: TypeAlias = Pair | RatePosterior | HasRatePosterior
"""Flip rates: a known pair, a posterior, or anything that has a posterior."""


def as_rate_posterior(noise_rates: Noise) -> RatePosterior:
    """Turn a known pair into a posterior, or take the posterior of whatever has one.

    >>> as_rate_posterior((0.1, 0.2)).points
    array([[0.1, 0.2]])
    """
    if isinstance(noise_rates, RatePosterior):
        return noise_rates
    if not isinstance(noise_rates, HasRatePosterior):
        return RatePosterior.known(noise_rates)
    found = noise_rates.rates_posterior
    if isinstance(found, RatePosterior):
        return found
    raise ParameterError(
        message(
            "noise rates, or an object whose rates_posterior is a RatePosterior",
            f"{type(noise_rates).__name__} with {type(found).__name__}",
            "use a fitted NoiseAware, Auto or Audited, or lwcal.estimate_noise",
        )
    )


def _as_points(values: npt.ArrayLike) -> FloatArray:
    points = as_floats(values, "points")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        got = f"an array of shape {points.shape}"
        raise InputError(message("points with two columns, r0 and r1, and some rows", got))
    # by column: numpy takes several times as long along an axis of two
    r0, r1 = points.T
    bad = ~((r0 >= 0.0) & (r1 >= 0.0) & (r0 + r1 < 1.0))
    if bad.any():
        got = offending_rows(bad, r0 + r1, "for the sum outside that range")
        raise InputError(message("rates of at least 0 that add up to less than 1", got))
    return points


def _as_probabilities(values: npt.ArrayLike, n: int) -> FloatArray:
    weights = as_floats(values, "weights")
    if weights.shape != (n,):
        got = f"an array of shape {weights.shape}"
        raise InputError(message(f"one weight for each of the {n:,} points", got))
    total = float(weights.sum())
    if not ((weights >= 0.0).all() and abs(total - 1.0) <= 1e-6):
        raise InputError(
            message(
                "weights of at least 0 that add up to 1",
                f"values from {weights.min():g} to {weights.max():g}, which add up to {total:g}",
                "divide them by their sum",
            )
        )
    return weights
