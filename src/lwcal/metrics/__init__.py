"""Metrics of probabilities.

Every metric takes ``(y_true, y_prob)`` in any form that a calibrator accepts, or a
:class:`lwcal.ScoreTable` in the place of both. ``sample_weight`` is a frequency: a row of weight 2
counts as two equal rows. If only noisy labels are available, use the functions whose names begin
with ``corrected_``: they estimate what the true labels would give. Probabilities of several classes
are judged by ``class_nll``, ``class_brier`` and ``class_evaluate``; ``top_label`` and ``one_class``
make tables for all other metrics.
"""

from lwcal.metrics.bootstrap import bootstrap_difference
from lwcal.metrics.calibration import adaptive_ece, ece
from lwcal.metrics.cell_bootstrap import paired_bootstrap
from lwcal.metrics.class_conditional import class_gap, classwise_ece, minority_ece
from lwcal.metrics.corrected import corrected_auc, corrected_brier, corrected_ece, corrected_nll
from lwcal.metrics.corrected_classes import (
    corrected_class_brier,
    corrected_class_evaluate,
    corrected_class_nll,
)
from lwcal.metrics.corrected_evaluation import corrected_evaluate
from lwcal.metrics.corrected_reliability import corrected_reliability_curve
from lwcal.metrics.decomposition import BrierDecomposition, brier_decomposition
from lwcal.metrics.discrimination import auc, macro_f1
from lwcal.metrics.evaluation import evaluate
from lwcal.metrics.proper import brier, nll
from lwcal.metrics.reliability import ReliabilityCurve, reliability_curve
from lwcal.metrics.scorer import corrected_scorer
from lwcal.metrics.several_classes import (
    class_brier,
    class_evaluate,
    class_nll,
    one_class,
    top_label,
)
from lwcal.metrics.smooth import smooth_ece

__all__ = [
    "BrierDecomposition",
    "ReliabilityCurve",
    "adaptive_ece",
    "auc",
    "bootstrap_difference",
    "brier",
    "brier_decomposition",
    "class_brier",
    "class_evaluate",
    "class_gap",
    "class_nll",
    "classwise_ece",
    "corrected_auc",
    "corrected_brier",
    "corrected_class_brier",
    "corrected_class_evaluate",
    "corrected_class_nll",
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
    "one_class",
    "paired_bootstrap",
    "reliability_curve",
    "smooth_ece",
    "top_label",
]
