"""A model with its calibrators, as one classifier."""

from lwcal.classifier.calibrated import CalibratedClassifier
from lwcal.classifier.scores import ROUNDING, CalibratedPair, combine

__all__ = ["ROUNDING", "CalibratedClassifier", "CalibratedPair", "combine"]
