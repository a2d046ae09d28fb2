"""A classifier with calibrated probabilities."""

from lwcal.classifier.calibrated import CalibratedClassifier
from lwcal.classifier.scores import ROUNDING, CalibratedModel, combine

__all__ = ["ROUNDING", "CalibratedClassifier", "CalibratedModel", "combine"]
