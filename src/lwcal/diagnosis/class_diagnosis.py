"""Diagnose scores and labels of several classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from lwcal.calibrators import Auto, Calibrator
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.decision import Decision
from lwcal.diagnosis.class_comparison import DEFAULT_CLASS_METHODS, class_factories, judge_classes
from lwcal.diagnosis.class_judgement import judge_class_rows
from lwcal.diagnosis.class_ranking import ClassRanking
from lwcal.diagnosis.class_readings import ClassReadings
from lwcal.diagnosis.comparison import N_RESAMPLES, Candidate
from lwcal.diagnosis.findings import Evidence
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.errors import InputError, message
from lwcal.metrics.plausible_noise import InverseNoise
from lwcal.metrics.resampling import Resampling
from lwcal.multiclass.checked_classes import AuditedClasses
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.multiclass.class_posterior import ClassPosterior
from lwcal.multiclass.class_rows import ClassRows


@dataclass(frozen=True)
class ClassDiagnosis:
    """A diagnosis of scores and labels of several classes, and the recommended action.

    Attributes
    ----------
    n : float
        Number of rows, or their total weight.
    checked : float
        Number of checked labels.
    used : float
        Weight of the rows that were used: all, or a sample of them.
    classes : tuple
        The class of each column.
    label_shares : tuple of float
        Share of each class among the labels.
    recommendation : Recommendation
        Deploy, keep the raw scores, check labels first, or check the scores first; and why.
    readings : ClassReadings
        Log loss, average probabilities and most probable classes under both readings: if every
        label is right, and if the noise estimate holds.
    evidence : {"labels", "known rates", "checked labels"}
        Where the noise estimate comes from.
    noise : ClassNoiseEstimate
        The matrix of labels by true class, with intervals, and what is identified of it.
    ranking : ClassRanking
        How the scores go with the labels.
    decision : Decision
        What :class:`lwcal.Auto` decides from the labels alone.
    candidates : tuple of Candidate
        Cross-fitted calibrators, judged by labels as they are, and corrected for noise.
    posterior : ClassPosterior
        The posterior over noise hypotheses that all of this rests on; not part of ``to_dict``.
    plausible_noise : InverseNoise
        Noise matrices that the labels allow, also those beside right scores; not part of
        ``to_dict``.
    """

    n: float
    checked: float
    used: float
    classes: tuple[Any, ...]
    label_shares: tuple[float, ...]
    recommendation: Recommendation
    readings: ClassReadings
    evidence: Evidence
    noise: ClassNoiseEstimate
    ranking: ClassRanking
    decision: Decision
    candidates: tuple[Candidate, ...]
    posterior: ClassPosterior = field(repr=False, compare=False)
    plausible_noise: InverseNoise = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but posterior and plausible noise, in types that JSON knows."""
        return {
            "n": self.n,
            "checked": self.checked,
            "used": self.used,
            "classes": list(self.classes),
            "label_shares": list(self.label_shares),
            "recommendation": self.recommendation.to_dict(),
            "readings": self.readings.to_dict(),
            "evidence": self.evidence,
            "noise": self.noise.to_dict(),
            "ranking": self.ranking.to_dict(),
            "decision": self.decision._asdict(),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }

    def __str__(self) -> str:
        if self.recommendation.refuses_rows:
            return self.recommendation.sentence
        return f"{self.recommendation.sentence} {self.noise.sentence}"


def diagnose_classes(
    rows: ClassRows,
    audited: AuditedClasses | None = None,
    *,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] = DEFAULT_CLASS_METHODS,
    confidence: float = 0.9,
    on_progress: Callable[[], None] = lambda: None,
) -> ClassDiagnosis:
    """Diagnose rows of more than two classes; see :func:`lwcal.diagnose`."""
    factories = dict(class_factories(methods))
    model = Auto() if calibrator is None else calibrator
    if not isinstance(model, ClassCalibrator):
        expected = "a calibrator that takes several classes"
        raise InputError(message(expected, type(model).__name__, "for example lwcal.Auto()"))
    for method, kind in factories.items():
        if type(model) is kind:
            factories[method] = lambda: clone(model)
    judged = judge_class_rows(rows, model, audited, confidence=confidence)
    used = judged.labelled_rows
    labels = np.bincount(rows.labels, rows.weights, minlength=rows.n_classes) / rows.n
    return ClassDiagnosis(
        n=rows.n,
        checked=0.0 if audited is None else audited.checked.n,
        used=used.n,
        classes=rows.classes,
        label_shares=tuple(labels.tolist()),
        recommendation=judged.recommendation,
        readings=judged.readings,
        evidence=judged.evidence,
        noise=judged.noise,
        ranking=judged.ranking,
        decision=judged.decision,
        candidates=judge_classes(
            factories,
            used,
            judged.plausible_noise,
            Resampling(confidence, N_RESAMPLES, random_state=0),
            on_progress,
            judged.left_out,
        ),
        posterior=judged.posterior,
        plausible_noise=judged.plausible_noise,
    )
