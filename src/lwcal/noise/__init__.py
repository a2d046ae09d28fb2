"""Label noise: inject it, estimate it, and correct probabilities for it."""

from typing import Any

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


def __getattr__(name: str) -> Any:
    if name not in _OF_SEVERAL_CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_OF_SEVERAL_CLASSES[name]), name)
