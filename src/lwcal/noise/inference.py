"""Infer the posterior over noise hypotheses from labels, and from checked rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np

from lwcal.errors import InputError, message
from lwcal.kernels.importance import log_sum
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.flexible import flexible_log_evidence
from lwcal.noise.forward import Draws, Hypothesis, Mode, draw_each, mode_of
from lwcal.noise.hypotheses import CLEAN_HYPOTHESIS, KNOWN, ROWS_OF_EVIDENCE
from lwcal.noise.line_draws import LineDraws
from lwcal.noise.logit_counts import LogitCounts
from lwcal.noise.posterior import Component, Posterior
from lwcal.noise.weights import drop_negligible
from lwcal.table import ScoreTable

BY_CHANCE = 4.0
"""Standard errors by which the share of positive labels may miss its limits."""


def infer(
    table: ScoreTable,
    hypotheses: Sequence[Hypothesis],
    *,
    rows_of_evidence: float = ROWS_OF_EVIDENCE,
) -> Posterior:
    """Infer the posterior from labels.

    The evidence between hypotheses is tempered, because they hold only roughly; see
    :data:`lwcal.noise.hypotheses.ROWS_OF_EVIDENCE`.

    Parameters
    ----------
    table : ScoreTable
        Pooled by :func:`lwcal.noise.logit_counts.pool_by_logit`; a table with many distinct
        scores gives the same answer, but slowly.
    hypotheses : sequence of Hypothesis
        The prior.
    rows_of_evidence : float
        Number of rows whose evidence counts at most.
    """
    refuse_impossible(table, hypotheses)
    if_clean = mode_of(CLEAN_HYPOTHESIS, LogitCounts.from_table(table))
    slope = float(if_clean.parameters[0])
    power = 1.0 / (1.0 + table.n / rows_of_evidence)
    components = _components(hypotheses, slope, table, if_clean=if_clean, power=power)
    return Posterior.mixture(components, slope)


def infer_with_checks(
    labelled: Posterior,
    table: ScoreTable,
    checked: CheckedTable,
    hypotheses: Sequence[Hypothesis],
) -> Posterior:
    """Update a posterior with the truths of the checked rows.

    Truths count in full, however many rows there are: a wrong label is observed, not inferred
    from how well a curve fits.

    Parameters
    ----------
    labelled : Posterior
        Inferred from the labels of all rows, by the same hypotheses.
    table : ScoreTable
        The unchecked rows, pooled.
    checked : CheckedTable
        The checked rows.
    hypotheses : sequence of Hypothesis
        The prior.
    """
    slope = labelled.apparent_log_slope
    components = _components(hypotheses, slope, table, checked)
    pairs = zip(components, labelled.components, strict=True)
    # what the labels say stays tempered
    updated = [
        replace(new, log_weight=old.log_weight + new.log_evidence - old.log_evidence)
        for new, old in pairs
    ]
    return Posterior.mixture(updated, slope)


def refuse_impossible(table: ScoreTable, hypotheses: Sequence[Hypothesis]) -> None:
    """Refuse known flip rates that labels contradict by themselves.

    Whatever the truth is, at least r0 of the rows are labelled positive, and at least r1 negative.
    """
    share = table.n_positive / table.n
    for hypothesis in hypotheses:
        if hypothesis.name != KNOWN:
            continue
        ((r0, r1),) = hypothesis.rates.rates(np.empty((1, 0))).tolist()
        error = max(float(np.sqrt(r * (1.0 - r) / table.n)) for r in (r0, r1))
        if not r0 - BY_CHANCE * error <= share <= 1.0 - r1 + BY_CHANCE * error:
            expected = (
                f"a share of positive labels from {r0:.4g} to {1.0 - r1:.4g}, as the known flip "
                f"rates {r0:g} and {r1:g} imply"
            )
            hint = "the first rate is that of true negatives; check the rates, and their order"
            raise InputError(message(expected, f"{share:.4g}", hint))


def apparent_log_slope(table: ScoreTable) -> float:
    """Log of the slope that the labels show if they are taken as right."""
    return float(mode_of(CLEAN_HYPOTHESIS, LogitCounts.from_table(table)).parameters[0])


@lru_cache
def _is_clean(hypothesis: Hypothesis) -> bool:
    """Whether its draws are those of :data:`CLEAN_HYPOTHESIS`."""
    clean = CLEAN_HYPOTHESIS
    return replace(hypothesis, name=clean.name, weight=clean.weight, flexible=False) == clean


def _components(
    hypotheses: Sequence[Hypothesis],
    slope: float,
    table: ScoreTable,
    checked: CheckedTable | None = None,
    *,
    if_clean: Mode | None = None,
    power: float = 1.0,
) -> list[Component]:
    """Draws of every hypothesis, and its weight with the evidence raised to this power.

    Parameters
    ----------
    hypotheses : sequence of Hypothesis
    slope : float
        Log of the apparent slope of the labels.
    table : ScoreTable
        The unchecked rows, pooled.
    checked : CheckedTable, optional
    if_clean : Mode, optional
        Of :data:`CLEAN_HYPOTHESIS`, if it is known already.
    power : float
    """
    counts_at = cache(partial(LogitCounts.from_table, table, checked))
    cases = [
        (
            CLEAN_HYPOTHESIS if _is_clean(one) else one.centred_on(slope),
            counts_at(least_softness=one.softness),
        )
        for one in hypotheses
    ]
    distinct = list(dict.fromkeys(cases))
    modes = {} if if_clean is None else {CLEAN_HYPOTHESIS: if_clean}
    drawn = {
        (one, counts): _summed(draws, counts)
        for (one, counts), draws in zip(distinct, draw_each(distinct, modes), strict=True)
    }
    found = []
    for hypothesis, case in zip(hypotheses, cases, strict=True):
        lines, evidence = drawn[case]
        if hypothesis.flexible:
            evidence = flexible_log_evidence(case[1])
        log_weight = float(np.log(hypothesis.weight)) + power * evidence
        found.append(Component(hypothesis.name, log_weight, evidence, lines))
    return found


def _summed(drawn: Draws, counts: LogitCounts) -> tuple[LineDraws, float]:
    """Draws that matter, and the log probability of the labels."""
    kept = drop_negligible(drawn.log_weights)
    slopes, intercepts, rates = (part[kept.mask] for part in drawn[:3])
    lines = LineDraws(slopes, intercepts, rates, kept.weights, counts.soft)
    return lines, float(log_sum(drawn.log_weights))
