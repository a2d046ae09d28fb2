"""Metrics of test probabilities, the same in every study."""

from typing import Any

import numpy as np

from lwcal import metrics

PAPER_CLIP = 5e-3
"""Clip of the log loss. The paper does not state its clip; this value comes closest to its tables.
"""
RELIABILITY_BINS = 15
MEASURED = (
    "ece",
    "adaptive_ece",
    "brier",
    "auc",
    "macro_f1",
    "classwise_ece",
    "minority_ece",
    "class_gap",
)
METRICS = (*MEASURED, "nll", "nll_strict")
"""Every column of a result. ``nll_strict`` clips at 1e-6, as :func:`lwcal.metrics.nll` does."""

TITLES = {"ece": "ECE", "brier": "Brier score", "nll": "log loss"}
"""Names of the most important metrics in prose."""


def evaluate(y_true: Any, probability: Any) -> dict[str, float]:
    """All metrics of one set of probabilities."""
    return {
        **metrics.evaluate(y_true, probability, which=MEASURED),
        "nll": metrics.nll(y_true, probability, clip=PAPER_CLIP),
        "nll_strict": metrics.nll(y_true, probability),
    }


def reliability_bins(y_true: Any, probability: Any) -> list[list[float]]:
    """Number, rows, positives and summed probability of each bin. Bins of several cells add up."""
    bins = np.minimum((probability * RELIABILITY_BINS).astype(int), RELIABILITY_BINS - 1)
    return [
        [
            int(k),
            int((bins == k).sum()),
            int(y_true[bins == k].sum()),
            float(probability[bins == k].sum()),
        ]
        for k in np.unique(bins)
    ]
