"""What is known of the flip rates, and what they do to probabilities.

Class-conditional noise flips a negative label with probability r0 and a positive one with r1,
whatever the row. With r0 + r1 < 1 noisy labels still carry the truth, and every clean quantity
that is linear in the labels follows from its noisy counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message, offending_rows
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.parameters import CONFIDENCE, SHARE, Between, check_parameter


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
        """What noise leaves of any difference between the classes: 1 - r0 - r1."""
        return 1.0 - self.negative - self.positive


Pair: TypeAlias = Iterable[float]
"""Two numbers, r0 and r1; a :class:`FlipRates` is one."""


def as_flip_rates(value: Any) -> FlipRates:
    """Two numbers of at least 0 whose sum is below 1.

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
            message("flip rates to be a pair (r0, r1)", f"{value!r}", "r0 is that of the negatives")
        ) from None
    check_parameter("the flip rate of negatives", negative, SHARE)
    check_parameter("the flip rate of positives", positive, SHARE)
    rates = FlipRates(float(negative), float(positive))
    if rates.kept <= 0.0:
        raise ParameterError(
            message(
                "flip rates that add up to less than 1",
                f"{negative:g} + {positive:g}",
                "beyond that the labels say nothing, or the opposite, of the truth",
            )
        )
    return rates


def noisy_posterior(clean: npt.ArrayLike, rates: Pair) -> FloatArray:
    """Probability of a positive noisy label, given that of a positive true one.

    >>> noisy_posterior([0.0, 0.5, 1.0], (0.1, 0.3)).round(3)
    array([0.1, 0.4, 0.7])
    """
    known = as_flip_rates(rates)
    return known.negative + known.kept * np.asarray(clean, dtype=np.float64)


def clean_posterior(noisy: npt.ArrayLike, rates: Pair) -> FloatArray:
    """Probability of a positive true label, given that of a positive noisy one.

    The affine inverse of :func:`noisy_posterior`, not clipped: no probability below r0 or above
    1 - r1 can come from these rates, and an estimate that lies there goes below 0 or above 1.

    >>> clean_posterior([0.1, 0.4, 0.76], (0.1, 0.3)).round(3)
    array([0. , 0.5, 1.1])
    """
    known = as_flip_rates(rates)
    return (np.asarray(noisy, dtype=np.float64) - known.negative) / known.kept


def clean_base_rate(noisy_base_rate: float, rates: Pair) -> float:
    """Share of true positives, given that of positive noisy labels; not clipped.

    >>> round(clean_base_rate(0.4, (0.1, 0.3)), 3)
    0.5
    """
    return float(clean_posterior(noisy_base_rate, rates))


def class_contamination(noisy_base_rate: float, rates: Pair) -> tuple[float, float]:
    """Shares of wrong labels among positive and among negative noisy labels.

    Parameters
    ----------
    noisy_base_rate : float
        Share of positive noisy labels, from r0 to 1 - r1 and neither 0 nor 1.
    rates : pair of float
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
    known = as_flip_rates(rates)
    check_parameter("noisy_base_rate", noisy_base_rate, Between(0.0, 1.0, open="both"))
    possible = Between(known.negative, 1.0 - known.positive)
    check_parameter("noisy_base_rate", noisy_base_rate, possible)
    clean = clean_base_rate(noisy_base_rate, known)
    alpha = known.negative * (1.0 - clean) / noisy_base_rate
    return alpha, known.positive * clean / (1.0 - noisy_base_rate)


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """What is believed of the flip rates: possible pairs, each with its probability.

    Attributes
    ----------
    points : float64 array of shape (k, 2)
        Pairs (r0, r1).
    weights : float64 array of shape (k,)
        Their probabilities, which add up to 1.

    Examples
    --------
    >>> belief = RatePosterior(points=[[0.1, 0.2], [0.3, 0.2]], weights=[0.75, 0.25])
    >>> belief.mean()
    FlipRates(negative=0.15..., positive=0.2)
    >>> belief.interval(0.9)
    ((0.1, 0.3), (0.2, 0.2))
    """

    points: FloatArray
    weights: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _as_points(self.points))
        object.__setattr__(self, "weights", _as_probabilities(self.weights, len(self.points)))

    @classmethod
    def known(cls, rates: Pair) -> RatePosterior:
        """Rates that are certain.

        >>> RatePosterior.known((0.1, 0.2)).mean()
        FlipRates(negative=0.1, positive=0.2)
        """
        return cls(np.array([as_flip_rates(rates)]), np.ones(1))

    def mean(self) -> FlipRates:
        """Expected rates."""
        negative, positive = self.weights @ self.points
        return FlipRates(float(negative), float(positive))

    def interval(self, confidence: float = 0.9) -> tuple[tuple[float, float], tuple[float, float]]:
        """Equal-tailed intervals of r0 and of r1, each for itself."""
        check_parameter("confidence", confidence, CONFIDENCE)
        tail = (1.0 - confidence) / 2
        negative, positive = (
            (
                weighted_quantile(column, self.weights, tail),
                weighted_quantile(column, self.weights, 1.0 - tail),
            )
            for column in self.points.T
        )
        return negative, positive

    def draw(self, n: int, generator: np.random.Generator) -> list[FlipRates]:
        """Draw n pairs by systematic resampling, in random order.

        A point of weight w is drawn ``n * w`` times, up or down to the next whole number.

        >>> belief = RatePosterior(points=[[0.1, 0.2], [0.3, 0.2]], weights=[0.75, 0.25])
        >>> sorted(rates.negative for rates in belief.draw(4, np.random.default_rng(0)))
        [0.1, 0.1, 0.1, 0.3]
        """
        cumulative = np.cumsum(self.weights)
        places = (np.arange(n) + generator.random()) / n * cumulative[-1]
        chosen = np.searchsorted(cumulative, places, side="right")
        # rounding can carry the last place to the very end, behind the last point
        rows = self.points[np.minimum(chosen, len(self.points) - 1)]
        return [FlipRates(*pair) for pair in generator.permutation(rows).tolist()]


class HasRatePosterior(Protocol):
    """Anything that estimated the rates, such as a fitted calibrator."""

    @property
    def rates_posterior(self) -> RatePosterior:
        """What is believed of the rates."""


Noise: TypeAlias = Pair | RatePosterior | HasRatePosterior
"""Flip rates as people hold them: a pair that is known, a belief, or what estimated one."""


def as_rate_posterior(noise: Noise) -> RatePosterior:
    """Make a belief of a known pair, or take it from what estimated one.

    >>> as_rate_posterior((0.1, 0.2)).points
    array([[0.1, 0.2]])
    """
    held: Any = noise
    belief = getattr(held, "rates_posterior", held)
    if isinstance(belief, RatePosterior):
        return belief
    if belief is not held:
        got = f"{type(belief).__name__} in {type(held).__name__}"
        hint = "fit what estimates the rates first"
        raise ParameterError(message("rates_posterior to be a RatePosterior", got, hint))
    return RatePosterior.known(held)


def _as_points(values: Any) -> FloatArray:
    points = _as_floats(values, "points")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        got = f"an array of shape {points.shape}"
        raise InputError(message("points with two columns, r0 and r1, and some rows", got))
    bad = ~((points >= 0.0).all(axis=1) & (points.sum(axis=1) < 1.0))
    if bad.any():
        got = offending_rows(bad, points.sum(axis=1), "that are not, of the sums of rates")
        raise InputError(message("rates of at least 0 that add up to less than 1", got))
    return points


def _as_probabilities(values: Any, n: int) -> FloatArray:
    weights = _as_floats(values, "weights")
    if weights.shape != (n,):
        got = f"an array of shape {weights.shape}"
        raise InputError(message(f"weights with one value a point ({n:,})", got))
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


def _as_floats(values: Any, name: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(message(f"{name} to be numbers", str(error))) from error
