"""What labels leave of the hypotheses about them: one weighted set of possible worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lwcal.kernels.arrays import FloatArray
from lwcal.kernels.importance import normalise
from lwcal.noise.beliefs import NOISELESS
from lwcal.noise.forward import Hypothesis, draw
from lwcal.noise.logit_counts import LogitCounts, soft_logit
from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

NEGLIGIBLE = 1e-7
"""Weight below which a possible world is forgotten."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Possible worlds, each with a clean posterior, flip rates and a probability.

    Attributes
    ----------
    slopes, intercepts : float64 arrays of shape (k,)
        Of the clean posterior ``sigmoid(slope * z + intercept)``, z the soft log-odds.
    rates : float64 array of shape (k, 2)
    weights : float64 array of shape (k,)
        Probabilities of the worlds, which add up to 1.
    hypotheses : dict of str to float
        Probability of each hypothesis.
    softness : float64 array of shape (k,)
        Softening of the log-odds in each world.
    """

    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    weights: FloatArray
    hypotheses: dict[str, float]
    softness: FloatArray

    @property
    def probability_clean(self) -> float:
        """Probability that no label is wrong."""
        return sum(self.hypotheses.get(name, 0.0) for name in NOISELESS)

    @property
    def rates_posterior(self) -> RatePosterior:
        """What is believed of the flip rates."""
        return RatePosterior(self.rates, self.weights)

    def worlds(self, scores: FloatArray) -> FloatArray:
        """Clean posterior of each world at each score, of shape (k, scores)."""
        z = np.empty((len(self.weights), len(scores)))
        for soft in np.unique(self.softness):
            z[self.softness == soft] = soft_logit(scores, soft)
        return np.asarray(expit(self.slopes[:, None] * z + self.intercepts[:, None]))

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over the worlds."""
        return self.weights @ self.worlds(scores)


def infer(table: ScoreTable, hypotheses: Sequence[Hypothesis]) -> Posterior:
    """Weigh the hypotheses by the labels, and average over what they cannot tell."""
    counts = [LogitCounts.from_table(table, h.softness) for h in hypotheses]
    drawn = [draw(h, pooled) for h, pooled in zip(hypotheses, counts, strict=True)]
    log_weights = [d.log_weights + np.log(h.weight) for h, d in zip(hypotheses, drawn, strict=True)]
    weights = normalise(np.concatenate(log_weights))
    kept = weights > NEGLIGIBLE
    sizes = [len(d.slopes) for d in drawn]
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return Posterior(
        np.concatenate([d.slopes for d in drawn])[kept],
        np.concatenate([d.intercepts for d in drawn])[kept],
        np.concatenate([d.rates for d in drawn])[kept],
        weights[kept] / weights[kept].sum(),
        {h.name: float(part.sum()) for h, part in zip(hypotheses, parts, strict=True)},
        np.repeat([pooled.soft for pooled in counts], sizes)[kept],
    )
