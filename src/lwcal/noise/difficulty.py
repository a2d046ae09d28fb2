"""Flip probabilities that grow with the difficulty of a row."""

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, message, offending_rows
from lwcal.rows import ArrayLike, as_floats

HIGHEST_FLIP_PROBABILITY = 0.95


def as_difficulty(values: ArrayLike, n: int) -> FloatArray:
    """Check the difficulties: one finite number of at least 0 for each of n rows."""
    difficulty = as_floats(values, "difficulty")
    if difficulty.shape != (n,):
        got = f"an array of shape {difficulty.shape}"
        raise InputError(message(f"one difficulty for each of the {n:,} labels", got))
    bad = ~(np.isfinite(difficulty) & (difficulty >= 0))
    if bad.any():
        got = offending_rows(bad, difficulty, "negative or not finite")
        raise InputError(message("difficulty to be finite and at least 0", got))
    return difficulty


def flip_probabilities(difficulty: FloatArray, rate: float) -> FloatArray:
    """Return probabilities proportional to difficulty, at most 0.95, with the given mean.

    Probability above the cap is spread over the other rows, again in proportion.

    >>> flip_probabilities(np.array([0.0, 1.0, 3.0]), 0.2).round(3)
    array([0.  , 0.15, 0.45])
    >>> flip_probabilities(np.array([0.0, 1.0, 3.0]), 0.45).round(3)
    array([0.  , 0.4 , 0.95])
    """
    if rate == 0:
        return np.zeros(len(difficulty))
    relative = difficulty / max(difficulty.max(), np.finfo(float).tiny)  # so that no sum overflows
    _check_possible(relative, rate)
    probabilities = np.zeros(len(difficulty))
    hard = relative > 0
    scaled = _factor(relative[hard], rate * len(relative)) * relative[hard]
    probabilities[hard] = np.minimum(scaled, HIGHEST_FLIP_PROBABILITY)
    return probabilities


def _factor(relative: FloatArray, n_flips: float) -> float:
    """Find the factor with which the capped probabilities add up to the expected flips."""
    hardest_first = np.sort(relative)[::-1]
    # with the k hardest rows at the cap, the others need factors[k]
    left_over = n_flips - HIGHEST_FLIP_PROBABILITY * np.arange(len(relative))
    factors = left_over / np.cumsum(hardest_first[::-1])[::-1]
    fits = factors * hardest_first <= HIGHEST_FLIP_PROBABILITY
    return float(factors[np.argmax(fits)]) if fits.any() else np.inf  # inf puts all at the cap


def _check_possible(relative: FloatArray, rate: float) -> None:
    highest = HIGHEST_FLIP_PROBABILITY * float(np.mean(relative > 0))
    if rate > highest * (1.0 + 1e-12):  # the caller's 0.95 * share may round up
        raise InputError(
            message(
                f"difficulty above 0 in enough rows for a rate of {rate:g}",
                f"{np.count_nonzero(relative):,} of {len(relative):,} rows above 0",
                f"no row is flipped with a probability above {HIGHEST_FLIP_PROBABILITY:g}, so the "
                f"rate can be at most {highest:.4g} here",
            )
        )
