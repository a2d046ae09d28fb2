"""Metrics of probabilities against true labels.

All take ``(y_true, y_prob)`` in any of the forms that a calibrator accepts, and
``sample_weight`` as frequencies: a row of weight 2 equals that row twice, in every metric.
"""

from lwcal.metrics.bootstrap import Difference, bootstrap_difference, paired_bootstrap
from lwcal.metrics.calibration import adaptive_ece, ece
from lwcal.metrics.conditional import class_gap, classwise_ece, minority_ece
from lwcal.metrics.decomposition import BrierDecomposition, brier_decomposition
from lwcal.metrics.discrimination import auc, macro_f1
from lwcal.metrics.evaluation import evaluate
from lwcal.metrics.proper import brier, nll
from lwcal.metrics.reliability import ReliabilityCurve, reliability_curve
from lwcal.metrics.smooth import smooth_ece

__all__ = [
    "BrierDecomposition",
    "Difference",
    "ReliabilityCurve",
    "adaptive_ece",
    "auc",
    "bootstrap_difference",
    "brier",
    "brier_decomposition",
    "class_gap",
    "classwise_ece",
    "ece",
    "evaluate",
    "macro_f1",
    "minority_ece",
    "nll",
    "paired_bootstrap",
    "reliability_curve",
    "smooth_ece",
]
