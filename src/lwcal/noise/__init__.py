"""Label noise: inject it, estimate it, and correct probabilities for it."""

from lwcal.lazy_names import lazy_names
from lwcal.noise.estimate import NoiseEstimate, RateEstimate
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
    "ClassNoiseEstimate",
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

_OF_SEVERAL_CLASSES = {
    "ClassNoiseEstimate": "lwcal.multiclass.class_noise",
    "estimate_noise": "lwcal.multiclass.estimate",
}
"""Public names whose modules use this package, so that they are imported when they are used."""

__getattr__, __dir__ = lazy_names(__name__, __all__, _OF_SEVERAL_CLASSES)
