"""How the calibrators would do on rows they did not see, with labels as they are and corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.crossfit import cross_fit
from lwcal.estimates import Estimate
from lwcal.metrics import brier, ece, nll
from lwcal.metrics.corrected import ESTIMATORS
from lwcal.metrics.noise_correction import estimates
from lwcal.metrics.resampling import Resampling
from lwcal.noise.logit_counts import pooled
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

CANDIDATES = ("identity", "platt", "isotonic", "lwcal", "gated", "noise-aware", "auto")
CORRECTED = ("brier", "nll", "ece")
EXACT = 20_000
"""Tables with more distinct scores are pooled first: this is evidence, not the fit."""


@dataclass(frozen=True)
class Candidate:
    """One calibrator, fitted five times and judged each time on the rows left out.

    Attributes
    ----------
    method : str
    labelled : dict of str to float
        Brier score, NLL and ECE as if every label was right.
    corrected : dict of str to Estimate
        The same against true labels, as far as the flip rates are known: the interval carries
        what is not known of them.
    """

    method: str
    labelled: dict[str, float]
    corrected: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        corrected = {name: value.to_dict() for name, value in self.corrected.items()}
        return {"method": self.method, "labelled": self.labelled, "corrected": corrected}


def compare(
    table: ScoreTable,
    rates: RatePosterior,
    methods: tuple[str, ...] = CANDIDATES,
    *,
    confidence: float = 0.9,
    n_resamples: int = 200,
    on_candidate: Callable[[], None] = lambda: None,
) -> tuple[Candidate, ...]:
    """Cross-fit calibrators, and score them with labels as they are and corrected.

    ``on_candidate`` is called after each, to show how far it is.
    """
    small = small_enough(table)
    resampling = Resampling(confidence, n_resamples, random_state=0)

    def candidate(method: str) -> Candidate:
        found = judge(method, cross_fit(CALIBRATORS[method], small), rates, resampling)
        on_candidate()
        return found

    return tuple(candidate(method) for method in methods)


def small_enough(table: ScoreTable) -> ScoreTable:
    """The table, or one that is pooled so far that it can be fitted many times."""
    return table if len(table) <= EXACT else pooled(table)


def judge(
    method: str, predicted: ScoreTable, rates: RatePosterior, resampling: Resampling
) -> Candidate:
    """Score probabilities that a calibrator gave to rows which it did not see."""
    estimators = {name: ESTIMATORS[name](predicted) for name in CORRECTED}
    labelled = {"brier": brier(predicted), "nll": nll(predicted), "ece": ece(predicted)}
    return Candidate(method, labelled, estimates(predicted, rates, estimators, resampling))
