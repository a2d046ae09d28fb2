"""Diagnose scores and labels: whether they can be calibrated on, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.base import clone

from lwcal import kernels
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator, Identity, NoiseAware
from lwcal.calibrators.decision import MAX_COST, Decision, decide
from lwcal.diagnosis.comparison import (
    DEFAULT_METHODS,
    N_RESAMPLES,
    Candidate,
    Comparison,
    Factories,
    compare,
    judge_all,
)
from lwcal.diagnosis.protocol import Verdict, deployment_protocol
from lwcal.diagnosis.recommendation import Recommendation, recommend
from lwcal.metrics.resampling import Resampling
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.noise.hypotheses import PRIOR_CLEAN
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import Posterior
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable, as_table

__all__ = [
    "DEFAULT_METHODS",
    "Candidate",
    "Comparison",
    "Diagnosis",
    "Recommendation",
    "Verdict",
    "compare",
    "deployment_protocol",
    "diagnose",
]


@dataclass(frozen=True)
class Diagnosis:
    """A diagnosis of scores and labels, and the recommended action.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    base_rate : float
        Share of positive labels.
    m, s : float
        Median loss of the labels under the scores, and the median absolute deviation of losses.
    d, rho : float
        Share of labels that contradict the model's decision, and the share of the raw score
        that the gate of :class:`lwcal.GatedLWCal` keeps at that d.
    protocol : Verdict
        Advice of the paper's deployment protocol at that d.
    noise : NoiseEstimate
        Flip rates with intervals, and whether they are identified.
    candidates : tuple of Candidate
        Cross-fitted calibrators, judged by labels as they are and corrected for noise.
    decision : Decision
        What :class:`lwcal.Auto` decides for these rows.
    recommendation : Recommendation
        Deploy, keep the raw score, or audit labels first; and the reason.
    posterior : Posterior
        The posterior over noise hypotheses that all of this rests on; not part of ``to_dict``.
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
    decision: Decision
    recommendation: Recommendation
    posterior: Posterior = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the posterior, in types that JSON knows."""
        numbers = {name: getattr(self, name) for name in ("n", "base_rate", "m", "s", "d", "rho")}
        protocol = {**asdict(self.protocol), "thresholds": list(self.protocol.thresholds)}
        return {
            **numbers,
            "protocol": {**protocol, "sentence": self.protocol.sentence},
            "noise": self.noise.to_dict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "decision": self.decision._asdict(),
            "recommendation": {
                **asdict(self.recommendation),
                "sentence": self.recommendation.sentence,
            },
        }

    def __str__(self) -> str:
        return f"{self.recommendation.sentence} {self.noise.sentence}"


def diagnose(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    calibrator: Calibrator | None = None,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis:
    """Diagnose whether calibrating on these labels is safe, and recommend an action.

    Parameters
    ----------
    scores : one-dimensional, in [0, 1], or ScoreTable
        Scores of a model on rows it was not trained on; or these rows, pooled.
    y : one-dimensional, two classes
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    calibrator : Calibrator, optional
        Its parameters replace the defaults: the known or expected flip rates of
        :class:`lwcal.NoiseAware`, the threshold of :class:`lwcal.LWCal`, the gate of
        :class:`lwcal.GatedLWCal`, the bound of :class:`lwcal.Auto`.
    confidence : float, default 0.9
        Level of all intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels; by default that of the
        calibrator.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores; by default that of the calibrator, or else probability. Omitted with
        a ScoreTable.
    on_progress : callable, optional
        Called without arguments after each calibrator that was judged, of
        ``len(lwcal.diagnosis.DEFAULT_METHODS)``.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> diagnosis = diagnose(scores, rng.random(2000) < scores)
    >>> diagnosis.recommendation.action
    'keep raw'
    """
    resampling = Resampling(confidence, N_RESAMPLES, random_state=0)
    model = Identity() if calibrator is None else calibrator
    model.check_parameters()
    if not isinstance(scores, ScoreTable):
        pos_label = getattr(calibrator, "pos_label", None) if pos_label is None else pos_label
        scale = getattr(calibrator, "scale_", None) if scale is None else scale
    table = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
    table.require_both_classes()
    pooled = pool_by_logit(table)
    posterior = infer(pooled, model.hypotheses())
    noise = estimate_from(posterior, pooled, confidence=confidence)
    decision = _decide(model, posterior, pooled, noise)
    m, s = kernels.median_and_mad(table.scores, table.negatives, table.positives)
    d = table.disagreement(model.threshold)
    lower, upper = model.gate_range
    protocol = deployment_protocol(d, lower=lower, upper=upper)
    return Diagnosis(
        n=table.n,
        base_rate=table.base_rate,
        m=m,
        s=s,
        d=d,
        rho=model.gate(d),
        protocol=protocol,
        noise=noise,
        candidates=judge_all(
            _candidates(calibrator), table, noise.rates_posterior, resampling, on_progress
        ),
        decision=decision,
        recommendation=recommend(decision, noise, protocol),
        posterior=posterior,
    )


def _decide(
    model: Calibrator, posterior: Posterior, table: ScoreTable, noise: NoiseEstimate
) -> Decision:
    max_cost = model.max_cost if isinstance(model, Auto) else MAX_COST
    has_own_prior = isinstance(model, NoiseAware) and model.prior_clean != PRIOR_CLEAN
    return decide(
        posterior,
        table,
        identified=noise.identified,
        max_cost=max_cost,
        even_odds=not has_own_prior,
    )


def _candidates(calibrator: Calibrator | None) -> Factories:
    """The default calibrators; the given one takes the place of its kind."""
    factories: dict[str, Callable[[], Calibrator]] = {
        method: CALIBRATORS[method] for method in DEFAULT_METHODS
    }
    for method, kind in factories.items():
        if type(calibrator) is kind:
            factories[method] = lambda: clone(calibrator)
    return factories
