"""What is measured of each set of test probabilities."""

from typing import Any

import numpy as np

from lwcal import metrics

PAPER_CLIP = 5e-3
"""Clip of the NLL that comes closest to the paper's tables, which do not state theirs."""
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
"""Every column of a result; ``nll_strict`` has lwcal's usual clip of 1e-6."""


def score(y_true: Any, probability: Any) -> dict[str, float]:
    """All metrics of one set of probabilities."""
    return {
        **metrics.evaluate(y_true, probability, which=MEASURED),
        "nll": metrics.nll(y_true, probability, clip=PAPER_CLIP),
        "nll_strict": metrics.nll(y_true, probability),
    }


def reliability_bins(y_true: Any, probability: Any) -> list[list[float]]:
    """Rows, positives and summed probability of each bin; these add up over cells."""
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
