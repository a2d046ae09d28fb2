"""Metrics of probabilities against true labels.

All take ``(y_true, y_prob)`` in any of the forms that a calibrator accepts, and
``sample_weight`` as frequencies: a row of weight 2 equals that row twice, in every metric.
Where only noisy labels are to be had, those named ``corrected_`` estimate what true labels
would give.
"""

from lwcal.metrics.bootstrap import Difference, bootstrap_difference, paired_bootstrap
from lwcal.metrics.calibration import adaptive_ece, ece
from lwcal.metrics.conditional import class_gap, classwise_ece, minority_ece
from lwcal.metrics.corrected import (
    corrected_auc,
    corrected_brier,
    corrected_ece,
    corrected_evaluate,
    corrected_nll,
)
from lwcal.metrics.corrected_reliability import corrected_reliability_curve
from lwcal.metrics.correction import Corrected
from lwcal.metrics.decomposition import BrierDecomposition, brier_decomposition
from lwcal.metrics.discrimination import auc, macro_f1
from lwcal.metrics.evaluation import evaluate
from lwcal.metrics.proper import brier, nll
from lwcal.metrics.reliability import ReliabilityCurve, reliability_curve
from lwcal.metrics.scorer import corrected_scorer
from lwcal.metrics.smooth import smooth_ece

__all__ = [
    "BrierDecomposition",
    "Corrected",
    "Difference",
    "ReliabilityCurve",
    "adaptive_ece",
    "auc",
    "bootstrap_difference",
    "brier",
    "brier_decomposition",
    "class_gap",
    "classwise_ece",
    "corrected_auc",
    "corrected_brier",
    "corrected_ece",
    "corrected_evaluate",
    "corrected_nll",
    "corrected_reliability_curve",
    "corrected_scorer",
    "ece",
    "evaluate",
    "macro_f1",
    "minority_ece",
    "nll",
    "paired_bootstrap",
    "reliability_curve",
    "smooth_ece",
]
