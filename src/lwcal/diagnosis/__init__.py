"""Can these labels be used, and how: a verdict with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lwcal import kernels
from lwcal.calibrators.auto import decide
from lwcal.calibrators.gated_lwcal import gate
from lwcal.diagnosis.candidates import Candidate, compare
from lwcal.diagnosis.protocol import Verdict, deployment_protocol
from lwcal.diagnosis.recommendation import Recommendation, recommend
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

__all__ = [
    "Candidate",
    "Diagnosis",
    "Recommendation",
    "Verdict",
    "deployment_protocol",
    "diagnose",
    "diagnose_table",
]


@dataclass(frozen=True)
class Diagnosis:
    """What scores and noisy labels say about each other, and what to do about it.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    base_rate : float
        Share of positive labels.
    m, s : float
        Median loss of the labels under the scores, and their median absolute deviation.
    d, rho : float
        Share of labels that contradict the model, and the share of the raw score that
        Gated-LWCal keeps for it.
    protocol : Verdict
        What the paper's deployment protocol says to d.
    noise : NoiseEstimate
        Flip rates with intervals, and whether they can be told.
    candidates : tuple of Candidate
        Cross-fitted scores of the calibrators, with labels as they are and corrected.
    recommendation : Recommendation
        Deploy, keep the raw score, or audit labels first; and the reason.
    """

    n: float
    base_rate: float
    m: float
    s: float
    d: float
    rho: float
    protocol: Verdict
    noise: NoiseEstimate
    candidates: tuple[Candidate, ...]
    recommendation: Recommendation

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        numbers = {name: getattr(self, name) for name in ("n", "base_rate", "m", "s", "d", "rho")}
        protocol = {**vars(self.protocol), "thresholds": list(self.protocol.thresholds)}
        return {
            **numbers,
            "protocol": {**protocol, "sentence": self.protocol.sentence},
            "noise": self.noise.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "recommendation": {
                **vars(self.recommendation),
                "sentence": self.recommendation.sentence,
            },
        }

    def __str__(self) -> str:
        return f"{self.recommendation.sentence} {self.noise.sentence}"


def diagnose(
    scores: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
) -> Diagnosis:
    """Say whether calibrating on these labels is safe, and what to do.

    Parameters
    ----------
    scores : one-dimensional, in [0, 1]
        Scores of a model on rows it was not trained on.
    y : one-dimensional, two classes
        Labels of the same rows, possibly wrong.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    confidence : float, default 0.9
        Level of all intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> diagnosis = diagnose(scores, rng.random(2000) < scores)
    >>> diagnosis.recommendation.action
    'keep raw'
    """
    table = ScoreTable.from_arrays(scores, y, sample_weight, pos_label=pos_label)
    return diagnose_table(table, confidence=confidence)


def diagnose_table(
    table: ScoreTable, *, confidence: float = 0.9, on_candidate: Callable[[], None] = lambda: None
) -> Diagnosis:
    """Diagnose pooled counts; see :func:`diagnose`.

    ``on_candidate`` is called after each calibrator that was tried, to show how far it is.
    """
    table.require_both_classes()
    m, s = kernels.median_and_mad(table.scores, table.negatives, table.positives)
    d = table.disagreement()
    decision = decide(table)
    noise = estimate_from(decision.posterior, table, confidence=confidence)
    return Diagnosis(
        table.n,
        table.base_rate,
        m,
        s,
        d,
        gate(d),
        deployment_protocol(d),
        noise,
        compare(table, noise.rates_posterior, confidence=confidence, on_candidate=on_candidate),
        recommend(decision, d),
    )
