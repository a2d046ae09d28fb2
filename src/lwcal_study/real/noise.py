"""Kinds of label noise for real tasks, each at two strengths."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

import lwcal

HIGHEST = 0.49
"""Highest flip probability of a row."""
STEEPNESS = 2.0
"""Change in the log-odds of a flip per standard deviation along the direction."""


class Noise(NamedTuple):
    """A kind of label noise.

    Attributes
    ----------
    kind, strength : str
    of_negatives, of_positives : float
        Flip probabilities of the two classes. For instance-dependent noise: their mean.
    """

    kind: str
    strength: str
    of_negatives: float = 0.0
    of_positives: float = 0.0


INSTANCE = "instance-dependent"
NATURAL = "natural"

NOISES: dict[str, Noise] = {
    "clean": Noise("clean", "none"),
    "symmetric-low": Noise("symmetric", "low", 0.15, 0.15),
    "symmetric-high": Noise("symmetric", "high", 0.30, 0.30),
    "missed-low": Noise("missed positives", "low", 0.02, 0.20),
    "missed-high": Noise("missed positives", "high", 0.05, 0.40),
    "false-low": Noise("false alarms", "low", 0.15, 0.02),
    "false-high": Noise("false alarms", "high", 0.30, 0.05),
    "instance-low": Noise(INSTANCE, "low", 0.15, 0.15),
    "instance-high": Noise(INSTANCE, "high", 0.30, 0.30),
    NATURAL: Noise(NATURAL, "its own"),
}
"""Noises by their name in cells."""


def generator(name: str, part: str) -> np.random.Generator:
    """Random generator that depends only on the cell and the purpose."""
    return np.random.default_rng(zlib.crc32(f"{name} {part}".encode()))


def corrupt(X: Any, y: Any, noise: Noise, name: str) -> Any:
    """Flip labels, independently for each row."""
    if noise.kind == INSTANCE:
        probabilities = flip_probabilities(X, noise.of_positives, generator(name, "direction"))
        flipped = generator(name, "flips").random(len(y)) < probabilities
        return np.where(flipped, 1 - y, y)
    return lwcal.noise.flip_labels(
        y,
        kind="asymmetric",
        negative_rate=noise.of_negatives,
        positive_rate=noise.of_positives,
        random_state=generator(name, "flips"),
    ).labels


def flip_probabilities(X: Any, mean: float, random: np.random.Generator) -> Any:
    """Flip probabilities that increase along a random direction of the features.

    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> probabilities = flip_probabilities(X, 0.3, np.random.default_rng(1))
    >>> round(float(probabilities.mean()), 6), bool(probabilities.max() <= HIGHEST)
    (0.3, True)
    """
    return rising_probabilities(standardised(X) @ random.normal(size=X.shape[1]), mean)


def rising_probabilities(values: Any, mean: float) -> Any:
    """Probabilities of a given mean that increase with the values, up to ``HIGHEST``.

    >>> probabilities = rising_probabilities(np.array([1.0, 2.0, 3.0]), 0.3)
    >>> probabilities.round(3), round(float(probabilities.mean()), 6)
    (array([0.083, 0.344, 0.473]), 0.3)
    """
    along = standardised(values)

    def probabilities(offset: float) -> Any:
        return HIGHEST * expit(offset + STEEPNESS * along)

    # at these ends, all probabilities are 0 or HIGHEST
    end = 40.0 + STEEPNESS * float(np.abs(along).max())
    return probabilities(brentq(lambda offset: probabilities(offset).mean() - mean, -end, end))


def standardised(values: Any) -> Any:
    """Scale every column that varies to mean 0 and standard deviation 1."""
    deviation = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
