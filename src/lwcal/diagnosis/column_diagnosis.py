"""Diagnose scores of two classes, those of the positive one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.base import clone

from lwcal import kernels
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator
from lwcal.calibrators.audited import NOTHING, refuse_audit
from lwcal.calibrators.decision import Decision
from lwcal.diagnosis.comparison import (
    DEFAULT_METHODS,
    N_RESAMPLES,
    Candidate,
    Factories,
    checked_methods,
    judge_all,
)
from lwcal.diagnosis.findings import Evidence
from lwcal.diagnosis.judgement import judge
from lwcal.diagnosis.protocol import Verdict, deployment_protocol
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Readings
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.metrics.resampling import Resampling
from lwcal.noise.checked.checked_rows import read_checked
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.estimate import NoiseEstimate
from lwcal.noise.posterior import Posterior
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable, as_table


@dataclass(frozen=True)
class Diagnosis:
    """A diagnosis of scores and labels, and the recommended action.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    checked : int or float
        Number of checked labels.
    base_rate : float
        Share of positive labels.
    recommendation : Recommendation
        Deploy, keep the raw score, check labels first, or check the scores first; and why.
    readings : Readings
        Log loss, average probability and decisions at the threshold under both readings: if
        every label is right, and if the noise estimate holds. They are those of the map that is
        recommended; if none is, those of a full correction for noise.
    evidence : {"labels", "known rates", "checked labels"}
        Where the noise estimate comes from.
    noise : NoiseEstimate
        Flip rates with intervals, and whether they are identified.
    ranking : Ranking
        Area under the ROC curve, by the labels as they are.
    decision : Decision
        What :class:`lwcal.Auto` decides from the labels alone.
    candidates : tuple of Candidate
        Cross-fitted calibrators, judged by labels as they are, and by the checked labels or
        corrected for noise.
    m, s : float
        Median loss of the labels under the scores, and the median absolute deviation of losses.
    d, rho : float
        Share of labels that contradict the model's decision, and the share of the raw score
        that the gate of :class:`lwcal.GatedLWCal` keeps at that d.
    protocol : Verdict
        Advice of the paper's deployment protocol at that d. The recommendation does not use it.
    posterior : Posterior or AuditedPosterior
        The posterior over noise hypotheses that all of this rests on; not part of ``to_dict``.
    """

    n: float
    checked: float
    base_rate: float
    recommendation: Recommendation
    readings: Readings
    evidence: Evidence
    noise: NoiseEstimate
    ranking: Ranking
    decision: Decision
    candidates: tuple[Candidate, ...]
    m: float
    s: float
    d: float
    rho: float
    protocol: Verdict
    posterior: Posterior | AuditedPosterior = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the posterior, in types that JSON knows."""
        numbers = {name: getattr(self, name) for name in ("n", "checked", "base_rate")}
        losses = {name: getattr(self, name) for name in ("m", "s", "d", "rho")}
        protocol = {**asdict(self.protocol), "thresholds": list(self.protocol.thresholds)}
        return {
            **numbers,
            "recommendation": self.recommendation.to_dict(),
            "readings": self.readings.to_dict(),
            "evidence": self.evidence,
            "noise": self.noise.to_dict(),
            "ranking": self.ranking.to_dict(),
            "decision": self.decision._asdict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            **losses,
            "protocol": {**protocol, "sentence": self.protocol.sentence},
        }

    def __str__(self) -> str:
        if self.recommendation.refuses_rows:
            return self.recommendation.sentence
        return f"{self.recommendation.sentence} {self.noise.sentence}"


def diagnose_column(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    y_audited: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] = DEFAULT_METHODS,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis:
    """Diagnose scores of two classes, those of the positive one; see :func:`lwcal.diagnose`."""
    model = Auto() if calibrator is None else calibrator
    model.check_parameters()
    if not isinstance(scores, ScoreTable):
        pos_label = model.pos_label if pos_label is None else pos_label
        scale = getattr(model, "scale_", None) if scale is None else scale
    nothing_checked = y_audited is None and audit_probability is None
    if isinstance(scores, ScoreTable) or y is None or nothing_checked:
        refuse_audit(y_audited=y_audited, audit_probability=audit_probability)
        table = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
        checked = NOTHING
    else:
        table, checked, _ = read_checked(
            scores,
            y,
            sample_weight,
            y_audited=y_audited,
            audit_probability=audit_probability,
            pos_label=pos_label,
            scale=scale,
        )
    return diagnose_counts(
        table,
        checked,
        calibrator=calibrator,
        methods=methods,
        confidence=confidence,
        on_progress=on_progress,
    )


def diagnose_counts(
    table: ScoreTable,
    checked: CheckedTable = NOTHING,
    *,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] = DEFAULT_METHODS,
    confidence: float = 0.9,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis:
    """Diagnose counts of the unchecked and of the checked rows; see :func:`lwcal.diagnose`."""
    names = checked_methods(methods)
    model = Auto() if calibrator is None else calibrator
    everything = ScoreTable.merge([table, checked.labels]) if checked.n else table
    everything.require_both_classes()
    judged = judge(table, model, checked, confidence=confidence)
    m, s = kernels.median_and_mad(*everything.columns)
    d = everything.disagreement(model.threshold)
    lower, upper = model.gate_range
    resampling = Resampling(confidence, N_RESAMPLES, random_state=0)
    rates = judged.noise.rates_posterior
    audit = judged.posterior if isinstance(judged.posterior, AuditedPosterior) else None
    return Diagnosis(
        n=everything.n,
        checked=checked.n,
        base_rate=everything.base_rate,
        recommendation=judged.recommendation,
        readings=judged.readings,
        evidence=judged.evidence,
        noise=judged.noise,
        ranking=judged.ranking,
        decision=judged.decision,
        candidates=judge_all(
            _candidates(names, calibrator), everything, rates, resampling, on_progress, audit
        ),
        m=m,
        s=s,
        d=d,
        rho=model.gate(d),
        protocol=deployment_protocol(d, lower=lower, upper=upper),
        posterior=judged.posterior,
    )


def _candidates(methods: Iterable[str], calibrator: Calibrator | None) -> Factories:
    """The calibrators to compare; the given one takes the place of its kind."""
    factories: dict[str, Callable[[], Calibrator]] = {
        method: CALIBRATORS[method] for method in methods
    }
    for method, kind in factories.items():
        if type(calibrator) is kind:
            factories[method] = lambda: clone(calibrator)
    return factories
