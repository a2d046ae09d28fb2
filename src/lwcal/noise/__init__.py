"""Label noise: make it, to see what it does, and undo what it does to probabilities."""

from lwcal.noise.flips import FlippedLabels, flip_labels
from lwcal.noise.rates import (
    FlipRates,
    RatePosterior,
    class_contamination,
    clean_base_rate,
    clean_posterior,
    noisy_posterior,
)

__all__ = [
    "FlipRates",
    "FlippedLabels",
    "RatePosterior",
    "class_contamination",
    "clean_base_rate",
    "clean_posterior",
    "flip_labels",
    "noisy_posterior",
]
