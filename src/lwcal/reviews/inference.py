"""The posterior of scaling and reviewers, given their opinions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from lwcal.arrays import BoolArray, FloatArray
from lwcal.class_maps import ScalingMap
from lwcal.kernels.importance import normalise
from lwcal.multiclass.class_hypotheses import LEAST_RATE, ONE_RATE, ClassHypothesis, Knowledge
from lwcal.multiclass.class_posterior import MOST_ROWS
from lwcal.multiclass.label_noise import even_goals
from lwcal.multiclass.scaling_numbers import ScalingPrior
from lwcal.noise.hypotheses import ROWS_OF_EVIDENCE
from lwcal.noise.mixture import Mixture
from lwcal.reviews.hypotheses import (
    HARD_ROWS,
    JUDGED,
    LABELS_OF_COMMON,
    LABELS_OF_OTHERS,
    PRIOR_DIFFER,
    PRIOR_HARD,
    PRIOR_OPPOSED,
    ROWS_OF_OPINIONS,
    ROWS_OPPOSED,
    THEY_DIFFER,
    hard_rows,
    review_hypotheses,
)
from lwcal.reviews.opinion_fit import ByKind, OpinionFit, OpinionProblem
from lwcal.reviews.opinion_rows import MOST_RATES, OpinionRows
from lwcal.reviews.reviewer_noise import AllAlike, EachTheirOwn, ReviewerMatrices, ReviewerNoise

NEGLIGIBLE = 0.01
"""Probability that reviewers differ, or do not, which needs no fit of its own."""


class ReviewComponent(NamedTuple):
    """The fit of one hypothesis.

    Attributes
    ----------
    name : str
    log_weight : float
        Log of prior times tempered evidence.
    fit : OpinionFit
    asked : bool
        Whether it is one of those that were fitted to ask if reviewers differ or share errors.
    """

    name: str
    log_weight: float
    fit: OpinionFit
    asked: bool = False


@dataclass(frozen=True, eq=False)
class ReviewPosterior(Mixture):
    """Fits of all hypotheses, and their probabilities.

    Attributes
    ----------
    components : tuple of ReviewComponent
    probabilities : float64 array
        Probability of each component; they add up to 1.
    rows : OpinionRows
        The rows of the fit: all, or a sample. Their reviewers are those of the matrices.
    judged : tuple of ReviewComponent
        Fits in which each reviewer is judged by their own labels, with and without hard rows. They
        give the reported intervals of reviewers, and are no part of the mixture. There are none of
        a single reviewer.
    """

    components: tuple[ReviewComponent, ...]
    probabilities: FloatArray
    rows: OpinionRows
    judged: tuple[ReviewComponent, ...] = ()

    @property
    def noiseless(self) -> BoolArray:
        """Whether every opinion is right, for each component."""
        return np.array([component.fit.is_noiseless for component in self.components])

    def having(self, part: str) -> BoolArray:
        """Whether the name of each component has this part."""
        return np.array([part in component.name for component in self.components])

    def log_weights_of(self, among: BoolArray) -> FloatArray:
        """Log of prior times evidence of some components; of all others, minus infinity."""
        log_weights = np.array([component.log_weight for component in self.components])
        return np.where(among, log_weights, -np.inf)

    def probability_of(self, part: str) -> float:
        """Probability of the hypotheses whose name has this part, given how labels are wrong.

        That is among those that were fitted to ask; none of them, and the probability is 0.
        """
        asked = np.array([component.asked for component in self.components])
        if not (asked & self.having(part)).any():
            return 0.0
        return min(float(normalise(self.log_weights_of(asked))[self.having(part)].sum()), 1.0)

    @property
    def scaling(self) -> ScalingMap:
        """The expected scaling: the mean of the numbers of all hypotheses of equal softness."""
        fits = [component.fit for component in self.components]
        return ScalingMap(
            np.tensordot(self.probabilities, [fit.numbers.matrix for fit in fits], 1),
            np.tensordot(self.probabilities, [fit.numbers.intercepts for fit in fits], 1),
            fits[0].likelihood.softness,
        )


def infer_reviews(rows: OpinionRows) -> ReviewPosterior:
    """Fit every hypothesis, and weigh them by their evidence.

    There are three questions. Is every label right? If not, in which way are labels wrong? If so,
    do reviewers differ, and do they share errors? The second one is answered with caution, because
    nobody errs quite as a hypothesis says: rows with several opinions are worth
    :data:`lwcal.reviews.hypotheses.ROWS_OF_OPINIONS`. For the others they count in full. Rows with
    one opinion are tempered as for one label a row, and checked rows never.
    """
    most = max(MOST_RATES // rows.n_classes, 2)
    used = rows.grouped(most).pooled().sample(MOST_ROWS)
    search = _Search(used)
    alike = search.all_alike()
    wrong = [component for component in alike if not component.fit.is_noiseless]
    best = int(np.argmax([component.log_weight for component in wrong]))
    ways = _divided(logsumexp(_log_weights(wrong)), wrong, search.cautious(wrong, ROWS_OF_OPINIONS))
    refined = [one._replace(asked=True) for one in search.refined(wrong[best])]
    components = [component for component in alike if component.fit.is_noiseless]
    components += search.divided_by_differences(ways[:best] + ways[best + 1 :], refined)
    components += _divided(ways[best].log_weight, refined, _log_weights(refined))
    return ReviewPosterior(
        tuple(components),
        normalise(_log_weights(components)),
        used,
        tuple(search.judged(wrong[best])),
    )


def _log_weights(components: list[ReviewComponent]) -> FloatArray:
    return np.array([component.log_weight for component in components])


def _divided(
    total: float, components: list[ReviewComponent], log_shares: FloatArray
) -> list[ReviewComponent]:
    """Components of this weight in all, divided by shares of any scale."""
    log_weights = total + log_shares - logsumexp(log_shares)
    pairs = zip(components, log_weights.tolist(), strict=True)
    return [component._replace(log_weight=log_weight) for component, log_weight in pairs]


class _Search:
    """Fits of all hypotheses to the same rows."""

    def __init__(self, rows: OpinionRows) -> None:
        self.rows = rows
        weights = ByKind.of(rows, rows.weights)
        self._inside = 1.0 / (1.0 + weights.one / ROWS_OF_EVIDENCE)
        self._n_several = weights.several
        self._several = len(rows.names) > 1
        self._overlapping = bool((rows.opinions > 1).any())
        self._anonymous = rows.anonymous()
        self._problems: dict[tuple[bool, float], OpinionProblem] = {}
        self._found: dict[str, ClassHypothesis] = {}

    def all_alike(self) -> list[ReviewComponent]:
        """Fits with reviewers who do not differ, and share no errors."""
        found: list[ReviewComponent] = []
        knowledge = Knowledge(self._anonymous.scores, self._anonymous.weights, rate=0.0)
        starts: dict[tuple[ScalingPrior, float], FloatArray] = {}
        for one in review_hypotheses(self.rows.n_classes):
            key = one.prior, one.softness
            noise = ReviewerNoise(AllAlike(one.noise(knowledge)))
            fit = self._problem(one.softness, named=False).fit(
                one.prior, noise, start=starts.get(key)
            )
            starts[key] = fit.free
            if one.name.startswith(ONE_RATE) or one.name.endswith(ONE_RATE):
                rate = 1.0 - float(np.diagonal(fit.emission.matrices[0]).mean())
                knowledge = knowledge._replace(rate=rate)
            self._found[one.name] = one
            found.append(self._component(one.name, one.weight, fit))
        return found

    def cautious(self, components: list[ReviewComponent], worth: float) -> FloatArray:
        """Log weights for which all rows with several opinions are worth at most so many."""
        several = np.array([component.fit.log_evidence.several for component in components])
        tempered = 1.0 / (1.0 + self._n_several / worth)
        return _log_weights(components) - (1.0 - tempered) * several

    def refined(self, best: ReviewComponent) -> list[ReviewComponent]:
        """The fit without, and fits with reviewers who differ or share errors."""
        found = [best]
        for differ in (False, True)[: 1 + self._several]:
            own = self._own(best.fit, LABELS_OF_COMMON) if differ else best.fit.noise.own
            found += [
                self._variant(best, own, [THEY_DIFFER] * differ, hard=hard)
                for hard in (False, True)[: 1 + self._overlapping]
                if differ or hard
            ]
        return found

    def divided_by_differences(
        self, ways: list[ReviewComponent], refined: list[ReviewComponent]
    ) -> list[ReviewComponent]:
        """Divide ways of being wrong into one for reviewers who are alike, and one for others.

        How probable it is that they differ too much for that, the variants of the best way say,
        with caution, too. Reviewers with matrices of their own are wrong in the same way
        whatever they have in common, so ways with the same prior of the scaling share a fit.
        """
        differ = np.array([THEY_DIFFER in one.name for one in refined])
        log_weights = self.cautious(refined, ROWS_OPPOSED) + differ * np.log(_odds(PRIOR_OPPOSED))
        probability = float(normalise(log_weights)[differ].sum())
        if probability < NEGLIGIBLE:
            return ways
        of_best = next(one for one in refined if THEY_DIFFER in one.name)
        fits = {self._scaling_of(refined[0]): of_best}
        own = self._own(refined[0].fit, LABELS_OF_COMMON)
        own = replace(own, first=of_best.fit.emission.matrices)
        found = []
        for way in sorted(ways, key=lambda one: -one.log_weight):
            key = self._scaling_of(way)
            if key not in fits:
                fits[key] = self._variant(way, own, [THEY_DIFFER], hard=False)
            variant = fits[key]._replace(name=f"{way.name}, {THEY_DIFFER}", asked=False)
            pair = [way, variant][probability > 1.0 - NEGLIGIBLE :]
            log_shares = np.log([1.0 - probability, probability][-len(pair) :])
            found += _divided(way.log_weight, pair, log_shares)
        return found

    def _scaling_of(self, component: ReviewComponent) -> tuple[ScalingPrior, float]:
        one = self._found[component.name]
        return one.prior, one.softness

    def judged(self, best: ReviewComponent) -> list[ReviewComponent]:
        """Fits with reviewers who differ, and borrow next to nothing from each other."""
        if not self._several:
            return []
        own = self._own(best.fit, LABELS_OF_OTHERS)
        return [
            self._variant(best, own, [THEY_DIFFER, JUDGED], hard=hard)
            for hard in (False, True)[: 1 + self._overlapping]
        ]

    def _variant(
        self, best: ReviewComponent, own: ReviewerMatrices, parts: list[str], *, hard: bool
    ) -> ReviewComponent:
        """The best fit again, with other reviewers, and with hard rows or without."""
        one, differ = self._found[best.name], bool(parts)
        together = hard_rows(self.rows.n_classes) if hard else None
        fit = self._problem(one.softness, named=differ).fit(
            one.prior, ReviewerNoise(own, together), start=best.fit.free
        )
        odds = _odds(PRIOR_DIFFER) ** differ * _odds(PRIOR_HARD) ** hard
        name = ", ".join([best.name, *parts, *[HARD_ROWS] * hard])
        return self._component(name, one.weight * odds, fit)

    def _component(self, name: str, weight: float, fit: OpinionFit) -> ReviewComponent:
        evidence = self._inside * fit.log_evidence.one + fit.log_evidence.outside
        return ReviewComponent(name, float(np.log(weight) + evidence), fit)

    def _own(self, fit: OpinionFit, strength: float) -> EachTheirOwn:
        # a common matrix without errors would forbid them to every reviewer
        even = even_goals(self.rows.n_classes)
        common = (1.0 - LEAST_RATE) * fit.emission.matrices[0] + LEAST_RATE * even
        return EachTheirOwn(common, strength, len(self.rows.names))

    def _problem(self, softness: float, *, named: bool) -> OpinionProblem:
        key = named, softness
        if key not in self._problems:
            rows = self.rows if named else self._anonymous
            self._problems[key] = OpinionProblem(rows, softness)
        return self._problems[key]


def _odds(probability: float) -> float:
    return probability / (1.0 - probability)
