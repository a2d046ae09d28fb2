"""Base rates that differ between the rows of a fit and those of deployment."""

from lwcal.adjustments import Adjustment
from lwcal.shift.adaptation import adapt
from lwcal.shift.adapted import Adaptation
from lwcal.shift.adapted_classes import ClassAdaptation
from lwcal.shift.known import to_base_rate, undo_sampling

__all__ = ["Adaptation", "Adjustment", "ClassAdaptation", "adapt", "to_base_rate", "undo_sampling"]
