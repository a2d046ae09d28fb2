"""What an audit shows: flip rates with intervals, and the gain of more checks."""

from typing import NamedTuple

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.kernels.lines import entropy
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import RatePosterior
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.table import ScoreTable

MORE_CHECKS = 50.0
"""Number of further checks whose gain is predicted."""
COARSE_BINS = 4
"""Bins per unit of log-odds for that gain: an average over all rows needs no more."""


class AuditSummary(NamedTuple):
    """Wrong labels in a table, as an audit shows them.

    Attributes
    ----------
    wrong : Estimate
        Share of wrong labels among all rows.
    r0, r1 : Estimate
        Share of true negatives labelled positive, and of true positives labelled negative.
    posterior : RatePosterior
        Of both, including "no noise".
    """

    wrong: Estimate
    r0: Estimate
    r1: Estimate
    posterior: RatePosterior


def summarise(
    posterior: AuditedPosterior, table: ScoreTable, *, confidence: float = 0.9
) -> AuditSummary:
    """Summarise the draws as shares of wrong labels."""
    drawn, rates = posterior.flip_rates(table)
    wrong, r0, r1 = (
        interval_of(values, drawn.weights, confidence) for values in (drawn.wrong, *drawn.rates.T)
    )
    return AuditSummary(wrong, r0, r1, rates)


def gain_of_more(posterior: AuditedPosterior, table: ScoreTable, audited: float) -> float:
    """Expected relative decrease of the log loss from 50 further checks, after so many.

    Uncertainty is taken to shrink as one over the number of checked rows. Knowing the clean
    posterior would reduce the log loss by the mutual information of posterior and truth: the
    entropy of the average less the average entropy.
    """
    coarse = pool_by_logit(table, bins_per_logit=COARSE_BINS)
    share = (coarse.negatives + coarse.positives) / coarse.n
    now = float(entropy(posterior.clean_probability(coarse.scores)) @ share)
    if now <= 0.0:
        return 0.0
    known = float(posterior.expected_entropy(coarse.scores) @ share)
    return max(1.0 - known / now, 0.0) * MORE_CHECKS / (audited + MORE_CHECKS)


def interval_of(values: FloatArray, weights: FloatArray, confidence: float) -> Estimate:
    """Expected value and equal-tailed interval of weighted draws."""
    tail = (1.0 - confidence) / 2
    low, high = weighted_quantiles(values, weights, (tail, 1.0 - tail))
    return Estimate(float(weights @ values), low, high)
