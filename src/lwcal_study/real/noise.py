"""Kinds of label noise for real tasks, each at two strengths."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

import lwcal

HIGHEST = 0.49
"""No row is more often wrong than right."""
STEEPNESS = 2.0
"""Change of the flip probability's log-odds with one standard deviation along the direction."""


class Noise(NamedTuple):
    """How labels go wrong.

    Attributes
    ----------
    kind, strength : str
    of_negatives, of_positives : float
        Flip probabilities of the two classes; for instance-dependent noise, their mean.
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
"""By the name that cells use."""


def generator(name: str, part: str) -> np.random.Generator:
    """Randomness that depends on the cell and its use alone."""
    return np.random.default_rng(zlib.crc32(f"{name} {part}".encode()))


def corrupt(X: Any, y: Any, noise: Noise, name: str) -> Any:
    """Flip labels as the noise says; rows go wrong independently of each other."""
    if noise.kind == INSTANCE:
        chances = flip_chances(X, noise.of_positives, generator(name, "direction"))
        flipped = generator(name, "flips").random(len(y)) < chances
        return np.where(flipped, 1 - y, y)
    return lwcal.noise.flip_labels(
        y,
        kind="asymmetric",
        negative_rate=noise.of_negatives,
        positive_rate=noise.of_positives,
        random_state=generator(name, "flips"),
    ).labels


def flip_chances(X: Any, mean: float, random: np.random.Generator) -> Any:
    """Flip probabilities that grow with a random direction of the standardised features.

    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> chances = flip_chances(X, 0.3, np.random.default_rng(1))
    >>> round(float(chances.mean()), 6), bool(chances.max() <= HIGHEST)
    (0.3, True)
    """
    along = standardised(standardised(X) @ random.normal(size=X.shape[1]))

    def chances(offset: float) -> Any:
        return HIGHEST * expit(offset + STEEPNESS * along)

    # the ends are far enough for any direction: all chances are then 0 or HIGHEST
    end = 40.0 + STEEPNESS * float(np.abs(along).max())
    return chances(brentq(lambda offset: chances(offset).mean() - mean, -end, end))


def standardised(values: Any) -> Any:
    """Mean 0 and deviation 1 in every column that varies."""
    deviation = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
