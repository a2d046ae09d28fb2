"""Decisions with costs: from probabilities to thresholds, with a band that people review."""

from lwcal.decisions.costs import Costs
from lwcal.decisions.policy import Policy, decide

__all__ = ["Costs", "Policy", "decide"]
