"""Judge rows of several classes: infer the noise, read the labels both ways, recommend."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators import Auto, NoiseAware
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.class_crossfit import (
    ClassCrossFitted,
    cross_predict_checked,
    cross_predict_maps,
)
from lwcal.calibrators.class_decision import decide_classes, decided_class_map
from lwcal.calibrators.decision import MAX_COST, Decision
from lwcal.class_maps import ClassMap
from lwcal.diagnosis.class_checks import reading_of_checks
from lwcal.diagnosis.class_ranking import ClassRanking, rank_classes
from lwcal.diagnosis.class_readings import ClassReadings, read_both_classes
from lwcal.diagnosis.findings import (
    BETTER_THAN_CHANCE,
    Checks,
    ClassFindings,
    Evidence,
    Method,
    answers_are_alike,
)
from lwcal.diagnosis.lost_labels import lost_faults
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.right_scores import CheckedRows, Explained, right_scores
from lwcal.diagnosis.table_faults import TableFaults, find_class_faults
from lwcal.diagnosis.unusable_rows import refuse_class_rows, with_doubts
from lwcal.diagnosis.vetoes import advise_with_veto
from lwcal.estimates import Estimate
from lwcal.metrics.plausible_noise import InverseNoise, inferred_noise
from lwcal.multiclass.checked_classes import AuditedClasses
from lwcal.multiclass.class_noise import ClassNoiseEstimate, class_noise_from
from lwcal.multiclass.class_posterior import ClassPosterior, infer_classes
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.knowledge import NoiseKnowledge
from lwcal.multiclass.matrix_draws import noise_matrices


class ClassJudgement(NamedTuple):
    """A recommendation for several classes and everything it rests on."""

    posterior: ClassPosterior
    noise: ClassNoiseEstimate
    decision: Decision
    ranking: ClassRanking
    readings: ClassReadings
    evidence: Evidence
    recommendation: Recommendation
    labelled_rows: ClassRows
    """The rows that were judged: all, or a sample."""
    left_out: dict[str, ClassCrossFitted]
    """Predictions by maps that did not see the rows, by the name of the calibrator."""
    plausible_noise: InverseNoise
    """Noise matrices that the labels allow, also those beside right scores."""


def judge_class_rows(
    rows: ClassRows,
    model: ClassCalibrator,
    audited: AuditedClasses | None = None,
    *,
    posterior: ClassPosterior | None = None,
    confidence: float = 0.9,
) -> ClassJudgement:
    """Infer the noise, read the labels both ways, and recommend an action.

    Parameters
    ----------
    rows : ClassRows
        Of more than two classes.
    model : ClassCalibrator
        Its prior knowledge of the noise, and the bound of :class:`lwcal.Auto`.
    audited : AuditedClasses, optional
        The same rows, if some of them are checked.
    posterior : ClassPosterior, optional
        What the labels say by the prior of the model, if a fit has inferred it.
    confidence : float, default 0.9
        Level of all intervals.
    """
    knowledge = model.knowledge() if isinstance(model, NoiseAware) else NoiseKnowledge()
    hypotheses = knowledge.of_classes(rows.n_classes)
    labelled = infer_classes(rows, hypotheses) if posterior is None else posterior
    max_cost = model.max_cost if isinstance(model, Auto) else MAX_COST
    decision = decide_classes(labelled, max_cost=max_cost)
    # a full correction is judged if it is asked for, and if Auto refuses any other
    unbounded = isinstance(model, NoiseAware) or decision.choice == "raw"
    method: Method = "noise-aware" if unbounded else "auto"

    def maps_of(found: ClassPosterior) -> dict[str, ClassMap]:
        decided = decided_class_map(decide_classes(found, max_cost=max_cost), found)
        return {"noise-aware": found.scaling, "auto": decided}

    left_out = cross_predict_maps(
        lambda part: maps_of(infer_classes(part, hypotheses)), labelled.rows
    )
    inferred, checks_left_out = labelled, None
    evidence: Evidence = "known rates" if labelled.matrix_is_known else "labels"
    if audited is not None and audited.checked.n:
        evidence, method, of_checks = "checked labels", "audited", audited.checked
        inferred = infer_classes(audited.unchecked, hypotheses, of_checks)
        left_out["audited"], checks_left_out = cross_predict_checked(
            lambda part, some: infer_classes(part, hypotheses, some).scaling,
            labelled.rows,
            of_checks,
        )
    judged_map = inferred.scaling if method == "audited" else maps_of(labelled)[method]
    noise = class_noise_from(inferred, confidence=confidence)
    truths, right = _checked_rows(audited, judged_map), None
    if evidence != "known rates":
        right = right_scores(Explained(*left_out[method]), noise.expected_matrix, truths)
    readings = read_both_classes(
        labelled.rows,
        judged_map,
        left_out[method],
        second_reading(inferred),
        if_right=right,
        confidence=confidence,
    )
    if truths is not None and checks_left_out is not None:
        readings = replace(
            readings,
            noise_holds=reading_of_checks(left_out[method], checks_left_out, confidence),
            on_checked=truths.truths.gain(confidence),
        )
    ranking = rank_classes(rows, confidence=confidence)
    checks = _checks_of(inferred, rows, audited)
    found = ClassFindings(rows.n, decision, noise, method, readings, evidence, checks)
    recommendation = refuse_class_rows(
        rows, ranking, by_labels=evidence == "labels"
    ) or with_doubts(advise_with_veto(found), ranking, readings, checks, _faults_of(rows, evidence))
    if evidence == "labels" and recommendation.action == "deploy":
        recommendation = replace(recommendation, reason=f"{recommendation.reason} {TRAINED_LIKE}")
    if labelled.matrix_is_known:
        del left_out["auto"]  # Auto itself knows no matrix
    return ClassJudgement(
        inferred,
        noise,
        decision,
        ranking,
        readings,
        evidence,
        recommendation,
        labelled.rows,
        left_out,
        inferred_noise(inferred, noise, None if right is None else right.matrix),
    )


def _faults_of(rows: ClassRows, evidence: Evidence) -> TableFaults:
    """Signs in the rows; a known noise matrix says itself which labels are missing."""
    faults = find_class_faults(rows)
    return faults if evidence == "known rates" else faults.beside(lost_faults(rows))


TRAINED_LIKE = (
    "This takes the model as one that was trained on labels like these. If it was trained on "
    "better ones, check some labels first."
)


def _checks_of(
    posterior: ClassPosterior, rows: ClassRows, audited: AuditedClasses | None
) -> Checks:
    """What the checked labels say of the labels, and whether they say it of these rows at all."""
    checks = Checks.of_counts(posterior.checked.counts)
    if audited is None or not checks.n or checks.agree:
        return checks
    found = audited.checked
    if np.count_nonzero(found.counts.sum(axis=1)) < 2:
        return checks._replace(astray=answers_are_alike(found.counts))
    by_truth, by_label = (
        _agreement_with(scores, codes, weights)
        for scores, codes, weights in (
            (found.scores, found.truths, found.weights),
            (rows.scores, rows.labels, rows.weights),
        )
    )
    return checks._replace(astray=by_truth.high < by_label.low)


def _agreement_with(scores: FloatArray, codes: IndexArray, weights: FloatArray) -> Estimate:
    """Share of rows whose most probable class is this one, with an interval."""
    n = float(weights.sum())
    share = float(weights @ (scores.argmax(axis=1) == codes)) / n
    reach = BETTER_THAN_CHANCE * float(np.sqrt(max(share * (1.0 - share), 0.25 / n) / n))
    return Estimate(share, share - reach, share + reach)


def _checked_rows(audited: AuditedClasses | None, calibration: ClassMap) -> CheckedRows | None:
    if audited is None or not audited.checked.n:
        return None
    found = audited.checked
    mapped = calibration.apply_unchecked(found.scores)
    return CheckedRows(Explained(found.scores, mapped, found.truths, found.weights), found.counts)


def second_reading(posterior: ClassPosterior) -> list[FloatArray]:
    """Noise matrices given noise, because the first reading already takes labels as right.

    None where labels are checked, which judge a map by themselves.
    """
    return [] if posterior.checked.n else noise_matrices(posterior.with_probability_clean(0.0))
