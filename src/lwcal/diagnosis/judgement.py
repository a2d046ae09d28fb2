"""Judge counts of scores and labels: infer the noise, read the labels both ways, recommend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from lwcal.arrays import FloatArray
from lwcal.calibrators import Auto, Calibrator, NoiseAware
from lwcal.calibrators.audited import NOTHING, estimate_audited
from lwcal.calibrators.crossfit import CrossFitted, cross_predict
from lwcal.calibrators.decision import MAX_COST, Decision, decide, decided_map
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.diagnosis.findings import Checks, Evidence, Findings, Method, answers_are_alike
from lwcal.diagnosis.lost_labels import lost_faults_of_table
from lwcal.diagnosis.missed_labels import missed_if_scores_are_right, wrong_if_scores_are_right
from lwcal.diagnosis.ranking import Ranking, rank
from lwcal.diagnosis.readings import Readings, read_both
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.right_scores import (
    CheckedRows,
    Explained,
    by_class,
    right_scores,
)
from lwcal.diagnosis.table_faults import TableFaults, find_faults
from lwcal.diagnosis.vetoes import recommend
from lwcal.estimates import Estimate
from lwcal.maps import Map
from lwcal.noise.checked.posterior import AuditedPosterior, CleanDraws, infer_audited
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import Posterior
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.table import ScoreTable


class Judgement(NamedTuple):
    """A recommendation and everything it rests on.

    Attributes
    ----------
    posterior : Posterior or AuditedPosterior
        What labels, and checked labels, say about noise.
    noise : NoiseEstimate
        The same in numbers.
    decision : Decision
        Of :class:`lwcal.Auto`, from the labels alone.
    ranking : Ranking
    readings : Readings
        Of the map that is judged: a full correction, if ``Auto`` keeps the raw score.
    evidence : {"labels", "known rates", "checked labels"}
        Where the noise estimate comes from.
    recommendation : Recommendation
    """

    posterior: Posterior | AuditedPosterior
    noise: NoiseEstimate
    decision: Decision
    ranking: Ranking
    readings: Readings
    evidence: Evidence
    recommendation: Recommendation


class _Case(NamedTuple):
    """One source of evidence: its posterior and estimate, and the map to judge by it."""

    evidence: Evidence
    posterior: Posterior | AuditedPosterior
    noise: NoiseEstimate
    method: Method
    map: Map
    left_out: CrossFitted | None


def judge(
    table: ScoreTable,
    model: Calibrator,
    checked: CheckedTable = NOTHING,
    *,
    posterior: Posterior | None = None,
    confidence: float = 0.9,
) -> Judgement:
    """Judge rows, some of them checked.

    Parameters
    ----------
    table : ScoreTable
        The unchecked rows.
    model : Calibrator
        Its prior knowledge of the noise, its threshold, and the bound of :class:`lwcal.Auto`.
    checked : CheckedTable, optional
    posterior : Posterior, optional
        What the labels of all rows say by the prior of the model, if a fit has inferred it.
    confidence : float, default 0.9
        Level of all intervals.
    """
    everything = ScoreTable.merge([table, checked.labels]) if checked.n else table
    pooled = pool_by_logit(everything)
    labelled = infer(pooled, model.hypotheses()) if posterior is None else posterior
    max_cost = model.max_cost if isinstance(model, Auto) else MAX_COST
    decision = decide(labelled, pooled, max_cost=max_cost)
    if checked.n:
        case = _by_checks(table, checked, pooled, model, confidence)
    else:
        case = _by_labels(pooled, labelled, decision, model, confidence)
    right = _of_right_scores(case, table, checked, pooled, confidence)
    readings = read_both(
        pooled,
        case.map,
        second_reading(case.posterior, pooled.scores),
        left_out=case.left_out,
        unpooled=everything,
        missed=right.missed,
        threshold=model.threshold,
        confidence=confidence,
    )
    readings = replace(readings, scores_are_better=right.are_better, on_checked=right.on_checked)
    ranking = rank(everything, confidence=confidence)
    found = Findings(
        everything.n,
        min(everything.n_negative, everything.n_positive),
        ranking,
        decision,
        case.noise,
        case.method,
        readings,
        case.evidence,
        _checks_of(checked, ranking),
        _faults_of(everything, model.threshold, case.evidence),
    )
    return Judgement(
        case.posterior, case.noise, decision, ranking, readings, case.evidence, recommend(found)
    )


def _faults_of(table: ScoreTable, threshold: float, evidence: Evidence) -> TableFaults:
    """Signs in the rows; known flip rates say themselves which labels are missing."""
    faults = find_faults(table, threshold)
    return faults if evidence == "known rates" else faults.beside(lost_faults_of_table(table))


def _checks_of(checked: CheckedTable, ranking: Ranking) -> Checks:
    """What the checked labels say of the labels, and whether they say it of these rows at all."""
    checks, truths = Checks.of_counts(checked.counts), checked.truths
    if not checks.n or checks.agree:
        return checks
    if min(truths.n_negative, truths.n_positive) > 0.0:
        # noise lowers the area by the labels, so that by the truth is larger
        astray = rank(truths).auc.high < ranking.auc.low
    else:
        astray = answers_are_alike(checked.counts)
    return checks._replace(astray=astray)


class _OfRightScores(NamedTuple):
    """What labels and checks say if the raw scores are right, and what the checked rows say."""

    missed: tuple[FlipRates, ...] = ()
    are_better: bool = False
    on_checked: Estimate | None = None


def _of_right_scores(
    case: _Case, table: ScoreTable, checked: CheckedTable, pooled: ScoreTable, confidence: float
) -> _OfRightScores:
    posterior = case.posterior
    if not isinstance(posterior, AuditedPosterior):
        if case.evidence != "labels":
            return _OfRightScores()
        possible = [missed_if_scores_are_right(pooled)]
        if not posterior.noise_fits:  # else the second reading has wrong labels of both classes
            possible.append(wrong_if_scores_are_right(pooled))
        return _OfRightScores(tuple(rates for rates in possible if rates is not None))
    truths = CheckedRows.of_table(checked, np.asarray(case.map(checked.truths.scores)))
    nothing = _OfRightScores(on_checked=truths.truths.gain(confidence))
    if not table.n:
        return nothing
    rest = pool_by_logit(table)
    r0, r1 = case.noise.rates_posterior.mean()
    found = right_scores(
        Explained.of_table(rest, np.asarray(case.map(rest.scores))),
        np.array([[1.0 - r0, r0], [r1, 1.0 - r1]]),
        truths,
        by_class(posterior.labelled.noisy_probability(rest.scores)),
    )
    if found is None or found.flip_rates.kept <= 0.0:
        return nothing
    return nothing._replace(missed=(found.flip_rates,), are_better=found.is_better)


def second_reading(
    posterior: Posterior | AuditedPosterior, scores: FloatArray
) -> RatePosterior | CleanDraws | None:
    """What the second reading of the labels rests on.

    Labels alone are read as noisy, because the first reading already takes them as right. Checked
    labels say themselves how many are wrong.

    Returns
    -------
    RatePosterior, CleanDraws or None
        Flip rates given noise; or the share of true positives at each score, from checked labels.
        None if noise does not fit the labels.
    """
    if isinstance(posterior, AuditedPosterior):
        return posterior.clean_draws(scores)
    if not posterior.noise_fits:
        return None
    return posterior.with_probability_clean(0.0).rates_posterior


def _by_labels(
    pooled: ScoreTable,
    posterior: Posterior,
    decision: Decision,
    model: Calibrator,
    confidence: float,
) -> _Case:
    # a full correction is judged if it is asked for, and if Auto refuses any other
    unbounded = isinstance(model, NoiseAware) or decision.choice == "raw"
    return _Case(
        "known rates" if posterior.rates_are_known else "labels",
        posterior,
        estimate_from(posterior, pooled, confidence=confidence),
        "noise-aware" if unbounded else "auto",
        posterior_map(posterior.believed) if unbounded else decided_map(decision, posterior),
        cross_predict(_maker(model, NoiseAware if unbounded else Auto), pooled),
    )


def _maker(model: Calibrator, kind: type[Calibrator]) -> Callable[[], Calibrator]:
    """Make calibrators of a kind: with the parameters of the model, if it is one of them."""
    return (lambda: clone(model)) if isinstance(model, kind) else kind


def _by_checks(
    table: ScoreTable,
    checked: CheckedTable,
    pooled: ScoreTable,
    model: Calibrator,
    confidence: float,
) -> _Case:
    posterior = infer_audited(pool_by_logit(table), checked, model.hypotheses())
    return _Case(
        "checked labels",
        posterior,
        estimate_audited(posterior, pooled, checked.n, confidence=confidence),
        "audited",
        posterior_map(posterior),
        None,
    )
