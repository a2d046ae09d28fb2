"""Diagnose rows on which several reviewers gave their opinions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.class_crossfit import ClassCrossFitted
from lwcal.calibrators.crossfit import FOLDS, CrossFitted, dealt
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.diagnosis.class_ranking import ClassRanking, rank_classes
from lwcal.diagnosis.class_readings import ClassReadings, read_both_classes
from lwcal.diagnosis.findings import Checks
from lwcal.diagnosis.lost_labels import lost_faults
from lwcal.diagnosis.opinion_recommendation import OpinionFindings, advise_by_opinions
from lwcal.diagnosis.ranking import Ranking, rank
from lwcal.diagnosis.readings import Readings, read_both
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.right_scores import Explained
from lwcal.diagnosis.shared_mistakes import right_if_mistakes_are_shared
from lwcal.diagnosis.unusable_rows import refuse_class_rows, refuse_rows, with_doubts
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import NoiseEstimate
from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.inferred import InferredReviews, inferred_reviews
from lwcal.reviews.label_noise import average_matrices, class_noise, two_class_noise
from lwcal.reviews.one_voice import one_voice
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.single_labels import label_rows, label_table
from lwcal.reviews.summary import ReviewSummary
from lwcal.reviews.telling import Telling
from lwcal.reviews.two_classes import two_class_posterior
from lwcal.reviews.uncertainty import Uncertainty

Predicted = TypeVar("Predicted", CrossFitted, ClassCrossFitted)


@dataclass(frozen=True)
class OpinionDiagnosis:
    """A diagnosis of scores and opinions, and the recommended action.

    Attributes
    ----------
    n : float
        Number of rows with an opinion or a checked label, or their total weight.
    several, contradicted : float
        Number of rows with several opinions, and of those on which they differ.
    checked : float
        Number of checked labels.
    classes : tuple
    recommendation : Recommendation
        Deploy, keep the raw score, ask for more opinions or checks first, or check the scores
        first; and why.
    readings : Readings or ClassReadings
        Log loss, averages and decisions under both readings: if every label is right, and by the
        opinions. They are those of the map of :class:`lwcal.Reviewed`, judged by maps that did not
        see the rows.
    noise : NoiseEstimate or ClassNoiseEstimate
        Of a label by any reviewer.
    ranking : Ranking or ClassRanking
        How the scores go with the labels as they are.
    reviews : ReviewSummary
        Error rates and confusion of every reviewer, agreement, and whether reviewers err together.
    """

    n: float
    several: float
    contradicted: float
    checked: float
    classes: tuple[Any, ...]
    recommendation: Recommendation
    readings: Readings | ClassReadings
    noise: NoiseEstimate | ClassNoiseEstimate
    ranking: Ranking | ClassRanking
    reviews: ReviewSummary

    def to_dict(self) -> dict[str, Any]:
        """Everything but the reviewers, in types that JSON knows."""
        return {
            "n": self.n,
            "several": self.several,
            "contradicted": self.contradicted,
            "checked": self.checked,
            "classes": list(self.classes),
            "recommendation": self.recommendation.to_dict(),
            "readings": self.readings.to_dict(),
            "evidence": "opinions",
            "noise": self.noise.to_dict(),
            "ranking": self.ranking.to_dict(),
        }

    def __str__(self) -> str:
        if self.recommendation.refuses_rows:
            return self.recommendation.sentence
        return f"{self.recommendation.sentence} {self.noise.sentence}"


def diagnose_opinions(
    rows: OpinionRows,
    inferred: InferredReviews | None = None,
    *,
    confidence: float = 0.9,
    on_progress: Callable[[], None] = lambda: None,
) -> OpinionDiagnosis:
    """Diagnose rows with opinions; see :func:`lwcal.diagnose`.

    Parameters
    ----------
    rows : OpinionRows
        Each with an opinion or a checked label.
    inferred : InferredReviews, optional
        What a fit to these rows has inferred, which takes long.
    confidence : float, default 0.9
        Level of the intervals of the readings.
    on_progress : callable, optional
        Called without arguments after each fit.
    """
    inferred = inferred_reviews(rows) if inferred is None else inferred
    on_progress()
    judged = _two_classes if rows.n_classes == 2 else _several_classes
    return judged(rows, inferred, confidence, on_progress)


def _two_classes(
    rows: OpinionRows,
    inferred: InferredReviews,
    confidence: float,
    on_progress: Callable[[], None],
) -> OpinionDiagnosis:
    voices, uncertainty, summary = inferred
    posterior, telling = two_class_posterior(uncertainty), Telling.of(summary)
    fitted = posterior_map(posterior)
    noise = two_class_noise(posterior, label_table(rows), voices.several)
    table = label_table(telling.opinions(rows))
    rates = two_class_posterior(uncertainty, telling.weights(rows)).rates_posterior.thinned()

    def left_out(train: OpinionRows, test: OpinionRows) -> CrossFitted:
        labels = label_table(telling.opinions(test))
        counted = one_voice(train, summary.near_copies).rows
        of_others = posterior_map(two_class_posterior(Uncertainty(infer_reviews(counted))))
        return CrossFitted(
            labels.scores, np.asarray(of_others(labels.scores)), labels.negatives, labels.positives
        )

    crossed = _crossed(rows, left_out, on_progress)
    r0, r1 = rates.mean()
    right = right_if_mistakes_are_shared(
        telling.opinions(voices),
        Explained.of_table(crossed, crossed.predicted),
        lambda scores: _two_columns(fitted(scores[:, 1])),
        np.array([[1.0 - r0, r0], [r1, 1.0 - r1]]),
    )
    readings = read_both(
        table,
        fitted,
        rates,
        left_out=crossed,
        missed=() if right is None else (right.flip_rates,),
        confidence=confidence,
    )
    ranking = rank(table, confidence=confidence)
    found = _findings(rows, voices, summary, readings)
    recommendation = refuse_rows(
        table.n, min(table.n_negative, table.n_positive), ranking, checked=found.checked
    ) or with_doubts(
        advise_by_opinions(found),
        ranking,
        readings,
        Checks(found.checked),
        lost_faults(label_rows(telling.opinions(rows))),
    )
    return _diagnosis(rows, found, recommendation, noise, ranking)


def _two_columns(positive: FloatArray) -> FloatArray:
    return np.stack([1.0 - positive, positive], axis=1)


def _several_classes(
    rows: OpinionRows,
    inferred: InferredReviews,
    confidence: float,
    on_progress: Callable[[], None],
) -> OpinionDiagnosis:
    voices, uncertainty, summary = inferred
    posterior, telling = uncertainty.posterior, Telling.of(summary)

    def left_out(train: OpinionRows, test: OpinionRows) -> ClassCrossFitted:
        labels = label_rows(telling.opinions(test))
        counted = one_voice(train, summary.near_copies).rows
        predicted = infer_reviews(counted).scaling.apply_unchecked(labels.scores)
        return ClassCrossFitted(labels.scores, predicted, labels.labels, labels.weights)

    labels = label_rows(telling.opinions(rows))
    crossed = _crossed(rows, left_out, on_progress)
    matrices = average_matrices(uncertainty, telling.weights(rows))
    readings = read_both_classes(
        labels,
        posterior.scaling,
        crossed,
        matrices,
        if_right=right_if_mistakes_are_shared(
            telling.opinions(voices),
            Explained(*crossed),
            posterior.scaling.apply_unchecked,
            np.mean(matrices, axis=0),
        ),
        confidence=confidence,
    )
    ranking = rank_classes(labels, confidence=confidence)
    found = _findings(rows, voices, summary, readings)
    recommendation = refuse_class_rows(labels, ranking) or with_doubts(
        advise_by_opinions(found), ranking, readings, Checks(found.checked), lost_faults(labels)
    )
    noise = class_noise(posterior, summary, found.counting)
    return _diagnosis(rows, found, recommendation, noise, ranking)


def _crossed(
    rows: OpinionRows,
    left_out: Callable[[OpinionRows, OpinionRows], Predicted],
    on_progress: Callable[[], None],
) -> Predicted:
    """Predictions of rows by maps that did not see them.

    All opinions on a row are in the same fold. A fold is skipped if the other rows would have one
    class only; rows of which none can be left out judge themselves.
    """
    pooled = rows.pooled()
    found = []
    for fold in range(FOLDS):
        inside = dealt(pooled.weights, fold, FOLDS)
        train, test = _weighted(pooled, pooled.weights - inside), _weighted(pooled, inside)
        if len(test.labels) and len(np.unique(train.labels)) > 1:
            found.append(left_out(train, test))
        on_progress()
    parts = found or [left_out(pooled, pooled)]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return type(parts[0])(*columns)


def _weighted(rows: OpinionRows, weights: FloatArray) -> OpinionRows:
    return replace(rows, weights=weights).part(weights > 0.0)


def _findings(
    rows: OpinionRows,
    voices: OpinionRows,
    summary: ReviewSummary,
    readings: Readings | ClassReadings,
) -> OpinionFindings:
    checked = rows.is_checked
    wrong = np.zeros(len(checked), dtype=np.bool_)
    wrong[rows.rows[rows.labels != rows.truths[rows.rows]]] = True
    several, contradicted, of_checked, of_wrong = (
        float(rows.weights[which].sum())
        for which in (rows.opinions > 1, rows.contradicted, checked, checked & wrong)
    )
    return OpinionFindings(
        rows.n, several, contradicted, of_checked, of_wrong, summary, readings, voices.several
    )


def _diagnosis(
    rows: OpinionRows,
    found: OpinionFindings,
    recommendation: Recommendation,
    noise: NoiseEstimate | ClassNoiseEstimate,
    ranking: Ranking | ClassRanking,
) -> OpinionDiagnosis:
    return OpinionDiagnosis(
        rows.n,
        found.several,
        found.contradicted,
        found.checked,
        rows.classes,
        recommendation,
        found.readings,
        noise,
        ranking,
        found.reviews,
    )
