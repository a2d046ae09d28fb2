"""Label noise: inject it, estimate it, and correct probabilities for it."""

from lwcal.noise.estimate import NoiseEstimate, RateEstimate, estimate_noise
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
    "NoiseEstimate",
    "RateEstimate",
    "RatePosterior",
    "class_contamination",
    "clean_base_rate",
    "clean_posterior",
    "estimate_noise",
    "flip_labels",
    "noisy_posterior",
]
