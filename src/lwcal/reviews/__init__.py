"""Several opinions about the same rows: who said what, how often each is right, and the truth."""

from lwcal.lazy_names import lazy_names

_NAMES = {
    "Agreement": ".agreement",
    "Consensus": ".consensus",
    "OpinionPlan": ".plan",
    "ReviewSummary": ".summary",
    "ReviewerEstimate": ".summary",
}
"""Public names, imported on first use."""

__all__ = ["Agreement", "Consensus", "OpinionPlan", "ReviewSummary", "ReviewerEstimate"]

__getattr__, __dir__ = lazy_names(__name__, __all__, _NAMES)
