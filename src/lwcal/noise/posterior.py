"""What labels leave of the hypotheses about them: weighted possible worlds, in branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.forward import Hypothesis, draw, mode_of
from lwcal.noise.hypotheses import NOISELESS, ROWS_OF_EVIDENCE, TRUSTING
from lwcal.noise.logit_counts import LogitCounts, pooled, soft_logit
from lwcal.noise.rates import RatePosterior
from lwcal.numerics.importance import log_sum, normalise
from lwcal.table import ScoreTable

NEGLIGIBLE = 1e-7
"""Weight below which a possible world is forgotten."""


@dataclass(frozen=True, eq=False)
class Branch:
    """The worlds of one hypothesis, and how probable the labels are under it.

    Attributes
    ----------
    name : str
    log_odds : float
        Log of prior times evidence.
    doubt : float
        What of that does not count for who holds the hypotheses to be true only roughly.
    slopes, intercepts : float64 arrays of shape (k,)
        Of the clean posterior ``sigmoid(slope * z + intercept)``, z the soft log-odds.
    rates : float64 array of shape (k, 2)
    weights : float64 array of shape (k,)
        Probabilities of the worlds within the branch, which add up to 1.
    softness : float
        Softening of the log-odds.
    """

    name: str
    log_odds: float
    doubt: float
    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    weights: FloatArray
    softness: float

    def clean_probabilities(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score in every world, of shape (k, scores)."""
        z = soft_logit(scores, self.softness)
        return np.asarray(expit(np.multiply.outer(self.slopes, z) + self.intercepts[:, None]))

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over the worlds."""
        return self._average_clean(scores, self.weights)

    def noisy_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a positive label at each score, averaged over the worlds."""
        kept = self.weights * (1.0 - self.rates.sum(axis=1))
        return self.weights @ self.rates[:, 0] + self._average_clean(scores, kept)

    def _average_clean(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        z = soft_logit(scores, self.softness)
        return np.asarray(kernels.average_sigmoid(self.slopes, self.intercepts, weights, z))


@dataclass(frozen=True, eq=False)
class Posterior:
    """Branches and their probabilities, which add up to 1."""

    branches: tuple[Branch, ...]
    probabilities: FloatArray

    @property
    def hypotheses(self) -> dict[str, float]:
        """Probability of each hypothesis."""
        names = (branch.name for branch in self.branches)
        return dict(zip(names, self.probabilities.tolist(), strict=True))

    @property
    def softness(self) -> float:
        """Least softening of the log-odds among the branches."""
        return min(branch.softness for branch in self.branches)

    @property
    def noiseless(self) -> BoolArray:
        """Which branches hold that no label is wrong."""
        return np.array([branch.name in NOISELESS for branch in self.branches])

    @property
    def probability_clean(self) -> float:
        """Probability that no label is wrong."""
        return float(self.probabilities[self.noiseless].sum())

    @property
    def rates_posterior(self) -> RatePosterior:
        """What is believed of the flip rates."""
        points = np.concatenate([branch.rates for branch in self.branches])
        return RatePosterior(points, self._world_weights())

    @property
    def log_evidence(self) -> float:
        """Log probability of the data."""
        return float(log_sum(np.array([branch.log_odds for branch in self.branches])))

    def mean_line(self) -> tuple[float, float]:
        """Expected slope and intercept of the clean posterior."""
        weights = self._world_weights()
        slopes = np.concatenate([branch.slopes for branch in self.branches])
        intercepts = np.concatenate([branch.intercepts for branch in self.branches])
        return float(weights @ slopes), float(weights @ intercepts)

    def clean_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a true positive at each score, averaged over all worlds."""
        return self._average([branch.clean_probability for branch in self.branches], scores)

    def noisy_probability(self, scores: FloatArray) -> FloatArray:
        """Probability of a positive label at each score, averaged over all worlds."""
        return self._average([branch.noisy_probability for branch in self.branches], scores)

    def _average(
        self, curves: list[Callable[[FloatArray], FloatArray]], scores: FloatArray
    ) -> FloatArray:
        pairs = zip(curves, self.probabilities, strict=True)
        return np.asarray(sum(odds * curve(scores) for curve, odds in pairs if odds > 0.0))

    def truth_given_label(self, scores: FloatArray, label: int) -> FloatArray:
        """Probability of a true positive at each score, of rows with this label."""
        weights, clean, rates = self.worlds(scores)
        labelled_so = np.where(np.arange(2) == label, 1.0 - rates, rates)
        positive = (weights * labelled_so[:, 1]) @ clean
        negative = (weights * labelled_so[:, 0]) @ (1.0 - clean)
        return np.asarray(positive / (positive + negative))

    def worlds(self, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of all worlds, their clean posteriors at the scores, and their flip rates."""
        clean = np.concatenate([branch.clean_probabilities(scores) for branch in self.branches])
        rates = np.concatenate([branch.rates for branch in self.branches])
        return self._world_weights(), clean, rates

    @property
    def hedged(self) -> Posterior:
        """The same worlds for someone who holds the hypotheses to be true only roughly.

        The evidence of the labels then counts for :data:`ROWS_OF_EVIDENCE` rows at most.
        """
        return _posterior(
            [
                replace(branch, log_odds=branch.log_odds - branch.doubt, doubt=0.0)
                for branch in self.branches
            ]
        )

    def with_clean(self, probability: float) -> Posterior:
        """The same worlds for someone who holds this probability that no label is wrong.

        Where one side was excluded beforehand, nothing changes.
        """
        if self.noiseless.all() or not self.noiseless.any():
            return self
        log_odds = np.array([branch.log_odds for branch in self.branches])
        given = np.where(self.noiseless, probability, 1.0 - probability)
        for side in (self.noiseless, ~self.noiseless):
            given[side] *= normalise(log_odds[side])
        return replace(self, probabilities=given)

    def _world_weights(self) -> FloatArray:
        pairs = zip(self.branches, self.probabilities, strict=True)
        return np.concatenate([branch.weights * probability for branch, probability in pairs])


def infer(table: ScoreTable, hypotheses: Sequence[Hypothesis]) -> Posterior:
    """Weigh the hypotheses by the labels, and average over what they cannot tell."""
    small = pooled(table)
    slope = shown_slope(small)
    doubted = 1.0 - 1.0 / (1.0 + table.n / ROWS_OF_EVIDENCE)
    return _posterior(
        [_branch(hypothesis.seen_from(slope), small, doubted=doubted) for hypothesis in hypotheses]
    )


def infer_with_checks(
    labelled: Posterior,
    table: ScoreTable,
    checked: CheckedTable,
    hypotheses: Sequence[Hypothesis],
) -> Posterior:
    """Go on from what all labels say to what the truths of the checked rows add.

    The table holds the rows that nobody checked. Truths count in full, however many rows there
    are: that a label is wrong is seen, not inferred from how well a curve fits.
    """
    small = pooled(table)
    slope = shown_slope(pooled(ScoreTable.merge([table, checked.labels])))
    branches = (_branch(hypothesis.seen_from(slope), small, checked) for hypothesis in hypotheses)
    pairs = zip(branches, labelled.branches, strict=True)
    return _posterior([replace(new, doubt=old.doubt) for new, old in pairs])


def _posterior(branches: list[Branch]) -> Posterior:
    log_odds = np.array([branch.log_odds for branch in branches])
    return Posterior(tuple(branches), normalise(log_odds))


def shown_slope(table: ScoreTable) -> float:
    """Log of the slope that the labels show, as if none were wrong."""
    mode, _ = mode_of(TRUSTING, LogitCounts.from_table(table))
    return float(mode[0])


def _branch(
    hypothesis: Hypothesis,
    table: ScoreTable,
    checked: CheckedTable | None = None,
    *,
    doubted: float = 0.0,
) -> Branch:
    """Worlds of a hypothesis, this share of whose evidence is doubted."""
    counts = LogitCounts.from_table(table, checked, least_softness=hypothesis.softness)
    drawn = draw(hypothesis, counts)
    weights = normalise(drawn.log_weights)
    kept = weights > NEGLIGIBLE
    log_evidence = float(log_sum(drawn.log_weights))
    return Branch(
        hypothesis.name,
        float(np.log(hypothesis.weight)) + log_evidence,
        doubted * log_evidence,
        drawn.slopes[kept],
        drawn.intercepts[kept],
        drawn.rates[kept],
        weights[kept] / weights[kept].sum(),
        counts.soft,
    )
