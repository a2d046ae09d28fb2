"""Several opinions about the same rows: who said what, how often each is right, and the truth."""

from importlib import import_module
from typing import Any

_NAMES = {
    "Agreement": "lwcal.reviews.agreement",
    "Consensus": "lwcal.reviews.consensus",
    "OpinionPlan": "lwcal.reviews.plan",
    "ReviewSummary": "lwcal.reviews.summary",
    "ReviewerEstimate": "lwcal.reviews.summary",
}
"""Public names, imported on first use."""

__all__ = ["Agreement", "Consensus", "OpinionPlan", "ReviewSummary", "ReviewerEstimate"]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_NAMES[name]), name)
