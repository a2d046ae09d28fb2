"""Diagnose scores and labels: whether they can be calibrated on, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.base import clone

from lwcal import kernels
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator
from lwcal.calibrators.audited import NOTHING, read_checked, refuse_audit
from lwcal.calibrators.decision import Decision
from lwcal.diagnosis.class_comparison import (
    DEFAULT_CLASS_METHODS,
    ClassComparison,
    compare_classes,
)
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis, diagnose_classes
from lwcal.diagnosis.class_ranking import ClassRanking
from lwcal.diagnosis.class_readings import ClassReading, ClassReadings
from lwcal.diagnosis.comparison import (
    DEFAULT_METHODS,
    N_RESAMPLES,
    Candidate,
    Comparison,
    Factories,
    checked_methods,
    compare_column,
    judge_all,
)
from lwcal.diagnosis.judgement import judge
from lwcal.diagnosis.protocol import Verdict, deployment_protocol
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Reading, Readings
from lwcal.diagnosis.recommendation import Evidence, Recommendation
from lwcal.errors import ParameterError, message
from lwcal.metrics.resampling import Resampling
from lwcal.multiclass.checked_classes import read_checked_classes
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale, required
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.estimate import NoiseEstimate
from lwcal.noise.posterior import Posterior
from lwcal.noise.rates import Noise
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable, as_table

__all__ = [
    "DEFAULT_CLASS_METHODS",
    "DEFAULT_METHODS",
    "Candidate",
    "ClassComparison",
    "ClassDiagnosis",
    "ClassRanking",
    "ClassReading",
    "ClassReadings",
    "Comparison",
    "Diagnosis",
    "Ranking",
    "Reading",
    "Readings",
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


def compare(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    methods: Iterable[str] | None = None,
    noise_rates: Noise | None = None,
    noise_matrix: ArrayLike | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    pos_label: Any = None,
    scale: str | None = None,
    classes: Sequence[Any] | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Comparison | ClassComparison:
    """Cross-fit calibrators, and judge them by labels as they are and corrected for noise.

    Parameters
    ----------
    scores : of shape (n,) or (n, K), or ScoreTable
        Scores of a model on rows it was not trained on: of the positive class, or of all
        classes; or rows of two classes, pooled.
    y : one-dimensional
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    methods : iterable of str, optional
        Names of calibrators, as in :data:`lwcal.calibrators.CALIBRATORS`.
    noise_rates : pair of float, RatePosterior or fitted calibrator, optional
        Flip rates (r0, r1) of one column of scores; by default estimated from these rows.
    noise_matrix : (K, K), optional
        Noise matrix of several columns; by default estimated from these rows.
    confidence : float, default 0.9
        Level of all intervals.
    n_resamples : int, default 200
        Number of bootstrap resamples behind each interval.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores of one class; default: probability. Omitted with a ScoreTable.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.
    on_progress : callable, optional
        Called without arguments after each calibrator.

    Returns
    -------
    Comparison or ClassComparison
        The latter for several columns of scores.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(2, 2, 800)
    >>> labels = rng.random(800) < scores**2
    >>> found = compare(scores, labels, methods=["identity", "platt"], noise_rates=(0, 0))
    >>> [candidate.method for candidate in found.candidates]
    ['platt', 'identity']
    >>> found.candidates[0].corrected_change.high < 0
    True
    """
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        refuse_classes(classes)
        if noise_matrix is not None:
            raise ParameterError(message("noise_rates with one column of scores", "noise_matrix"))
        return compare_column(
            scores,
            y,
            sample_weight,
            methods=DEFAULT_METHODS if methods is None else methods,
            noise_rates=noise_rates,
            confidence=confidence,
            n_resamples=n_resamples,
            pos_label=pos_label,
            scale=scale,
            on_progress=on_progress,
        )
    refuse_scale(scale)
    if noise_rates is not None:
        raise ParameterError(message("noise_matrix with several columns", "noise_rates"))
    check_parameter("confidence", confidence, CONFIDENCE)
    return compare_classes(
        ClassRows.from_arrays(scores, required(y), sample_weight, classes=classes),
        DEFAULT_CLASS_METHODS if methods is None else methods,
        noise_matrix=noise_matrix,
        confidence=confidence,
        n_resamples=n_resamples,
        on_progress=on_progress,
    )


def diagnose(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    y_audited: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] | None = None,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
    classes: Sequence[Any] | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis | ClassDiagnosis:
    """Diagnose whether calibrating on these labels is safe, and recommend an action.

    Parameters
    ----------
    scores : of shape (n,) or (n, K), or ScoreTable
        Scores of a model on rows it was not trained on: of the positive class, or of all
        classes; or rows of two classes, pooled.
    y : one-dimensional
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    y_audited : one-dimensional, optional
        True labels of the checked rows; NaN, None or null in the others. With them, the
        recommendation rests on the checked labels.
    audit_probability : one-dimensional, optional
        Probability with which each checked row was chosen, as in :class:`lwcal.Audited`.
    calibrator : Calibrator, optional
        Its parameters replace the defaults: the known or expected flip rates of
        :class:`lwcal.NoiseAware`, the threshold of :class:`lwcal.LWCal`, the gate of
        :class:`lwcal.GatedLWCal`, the bound of :class:`lwcal.Auto`.
    methods : iterable of str, optional
        Calibrators to compare, as in :func:`compare`. The recommendation needs none.
    confidence : float, default 0.9
        Level of all intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels; by default that of the
        calibrator.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores; by default that of the calibrator, or else probability. Omitted with
        a ScoreTable.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.
    on_progress : callable, optional
        Called without arguments after each calibrator that was compared.

    Returns
    -------
    Diagnosis or ClassDiagnosis
        The latter for more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> diagnosis = diagnose(scores, rng.random(2000) < scores)
    >>> diagnosis.recommendation.action
    'keep raw'
    """
    methods_of_two = DEFAULT_METHODS if methods is None else methods
    common: dict[str, Any] = {
        "calibrator": calibrator,
        "confidence": confidence,
        "on_progress": on_progress,
    }
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        refuse_classes(classes)
        return diagnose_column(
            scores,
            y,
            sample_weight,
            y_audited=y_audited,
            audit_probability=audit_probability,
            methods=methods_of_two,
            pos_label=pos_label,
            scale=scale,
            **common,
        )
    refuse_scale(scale)
    audited = read_checked_classes(
        scores,
        required(y),
        sample_weight,
        y_audited=y_audited,
        audit_probability=audit_probability,
        classes=classes,
    )
    if audited.everything.n_classes == 2:
        of_checks = audited.checked.two_class_table() if audited.checked.n else NOTHING
        table = audited.unchecked.two_class_table()
        return diagnose_counts(table, of_checks, methods=methods_of_two, **common)
    chosen = DEFAULT_CLASS_METHODS if methods is None else methods
    return diagnose_classes(audited.everything, audited, methods=chosen, **common)


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
    """Diagnose scores of two classes, those of the positive one; see :func:`diagnose`."""
    model = Auto() if calibrator is None else calibrator
    model.check_parameters()
    if not isinstance(scores, ScoreTable):
        pos_label = model.pos_label if pos_label is None else pos_label
        scale = getattr(model, "scale_", None) if scale is None else scale
    nothing_checked = y_audited is None and audit_probability is None
    if isinstance(scores, ScoreTable) or y is None or nothing_checked:
        refuse_audit(y_audited, audit_probability)
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
    """Diagnose counts of the unchecked and of the checked rows; see :func:`diagnose`."""
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
