"""What an audit taught, in a few numbers with intervals."""

from typing import NamedTuple

import numpy as np
from scipy.special import entr

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.noise.checked.posterior import AuditedPosterior, Truths
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.table import ScoreTable

MORE = 50.0
"""Rows whose checking is weighed."""


class AuditSummary(NamedTuple):
    """What an audit taught of a table of labels.

    Attributes
    ----------
    wrong : Estimate
        Share of wrong labels among all rows.
    r0, r1 : Estimate
        Share of true negatives labelled positive, and of true positives labelled negative.
    gain_of_more : float
        Relative decrease of the NLL to expect from checking 50 more rows.
    """

    wrong: Estimate
    r0: Estimate
    r1: Estimate
    gain_of_more: float


def summarise(
    posterior: AuditedPosterior, table: ScoreTable, audited: float, *, confidence: float = 0.9
) -> AuditSummary:
    """Read shares of wrong labels, and what more checks would bring, off the worlds."""
    flips = posterior.flips_in(table)
    wrong, r0, r1 = (
        interval_of(values, flips.weights, confidence) for values in (flips.wrong, *flips.rates.T)
    )
    share = (table.negatives + table.positives) / table.n
    gain = _gain_of_more(posterior.truths_at(table.scores), share, audited)
    return AuditSummary(wrong, r0, r1, gain)


def interval_of(values: FloatArray, weights: FloatArray, confidence: float) -> Estimate:
    """Expected value and equal-tailed interval over weighted worlds."""
    tail = (1.0 - confidence) / 2
    low, high = (weighted_quantile(values, weights, at) for at in (tail, 1.0 - tail))
    return Estimate(float(weights @ values), low, high)


def _gain_of_more(worlds: Truths, share: FloatArray, audited: float) -> float:
    """Relative gain, if what is not known shrinks as one over the number of checked rows.

    The NLL that knowing the right world would save is the mutual information of world and
    truth: the entropy of the average less the average entropy.
    """
    now = float(entropy(worlds.weights @ worlds.clean) @ share)
    known = float(worlds.weights @ (entropy(worlds.clean) @ share))
    return max(1.0 - known / now, 0.0) * MORE / (audited + MORE) if now > 0.0 else 0.0


def entropy(probability: FloatArray) -> FloatArray:
    """Of a label that is positive with this probability, in nats.

    >>> entropy(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.693])
    """
    return np.asarray(entr(probability) + entr(1.0 - probability))
