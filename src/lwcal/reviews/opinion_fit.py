"""Fit a scaling and the matrices of reviewers together, by maximum a posteriori."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.class_maps import ScalingMap
from lwcal.multiclass.joint_fit import ROUGH, SOFTEST, minimise
from lwcal.multiclass.label_noise import KnownNoise
from lwcal.multiclass.scaling_numbers import Layout, Numbers, ScalingPrior
from lwcal.noise.logit_counts import softness
from lwcal.reviews.opinion_likelihood import Emission, OpinionLikelihood, Point
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.reviewer_noise import AllAlike, ReviewerNoise


class ByKind(NamedTuple):
    """Something for each kind of rows: their number, or their log probability.

    Attributes
    ----------
    one : float
        Rows with one opinion. Their noise shows in the shape of a curve only.
    several : float
        Rows with several opinions.
    checked : float
        Rows whose true class is known.
    """

    one: float
    several: float
    checked: float

    @classmethod
    def of(cls, rows: OpinionRows, values: FloatArray) -> ByKind:
        """Add up values of the rows."""
        checked = rows.is_outside_evidence & rows.is_checked
        several = rows.is_outside_evidence & ~checked
        parts = (values[which].sum() for which in (~rows.is_outside_evidence, several, checked))
        return cls(*map(float, parts))

    @property
    def outside(self) -> float:
        """Of rows that show noise without any curve."""
        return self.several + self.checked


class OpinionFit(NamedTuple):
    """The most probable scaling and matrices.

    Attributes
    ----------
    prior : ScalingPrior
    noise : ReviewerNoise
    numbers : Numbers
        Of the scaling.
    emission : Emission
    point : Point
        Probabilities of the rows.
    log_evidence : ByKind
    likelihood : OpinionLikelihood
    free : float64 array
        Free numbers of the scaling, where the search for a similar fit can start.
    """

    prior: ScalingPrior
    noise: ReviewerNoise
    numbers: Numbers
    emission: Emission
    point: Point
    log_evidence: ByKind
    likelihood: OpinionLikelihood
    free: FloatArray

    @property
    def scaling(self) -> ScalingMap:
        """From scores to the probability of each true class."""
        return ScalingMap(self.numbers.matrix, self.numbers.intercepts, self.likelihood.softness)

    @property
    def is_noiseless(self) -> bool:
        """Whether every opinion is right."""
        own = self.noise.own
        return isinstance(own, AllAlike) and isinstance(own.noise, KnownNoise)


class OpinionProblem:
    """Rows, ready to be fitted to again and again.

    Parameters
    ----------
    rows : OpinionRows
    least_softness : float
        Least softening of the scores.
    """

    def __init__(self, rows: OpinionRows, least_softness: float = 0.0) -> None:
        self.rows = rows
        soft = max(min(softness(rows.n), SOFTEST), least_softness)
        self._likelihood = OpinionLikelihood(rows, soft)
        self._weights = ByKind.of(rows, rows.weights)

    def fit(
        self, prior: ScalingPrior, noise: ReviewerNoise, *, start: FloatArray | None = None
    ) -> OpinionFit:
        """Find the most probable numbers.

        Parameters
        ----------
        prior : ScalingPrior
        noise : ReviewerNoise
        start : float64 array, optional
            Numbers of a scaling with the same free numbers; default: the raw scores.
        """
        rows, likelihood = self.rows, self._likelihood
        layout = Layout(prior, rows.n_classes)
        spread = layout.spread(rows.scores, rows.weights, likelihood.x)
        opinions = float(rows.weights[rows.rows].sum())
        unit = np.concatenate([spread, noise.units(opinions, rows.n)])
        size, n = len(spread), max(rows.n, 1.0)

        def loss(steps: FloatArray) -> tuple[float, FloatArray]:
            at = steps * unit
            free, of_noise = at[:size], at[size:]
            numbers = layout.unpack(free)
            point = likelihood.at(numbers, noise.emission(of_noise))
            log_prior, by_noise = noise.ascent(of_noise, point.counts, rows.n)
            value = float(rows.weights @ point.log_likelihood) + log_prior - 0.5 * (free @ free)
            gradient = likelihood.by_scaling(point, exp(numbers.log_slope))
            by_numbers = layout.pack(gradient) * layout.deviations - free
            return -value / n, -np.concatenate([by_numbers, by_noise]) * unit / n

        begin = np.zeros(size) if start is None else start
        found = minimise(loss, np.concatenate([begin, noise.start()]) / unit, ROUGH) * unit
        free, of_noise = np.split(found, [size])
        numbers, emission = layout.unpack(free), noise.emission(of_noise)
        point = likelihood.at(numbers, emission)
        log_likelihood = ByKind.of(rows, rows.weights * point.log_likelihood)
        # what freedom costs is paid by every kind of evidence, each for its rows
        cost = (noise.occam(of_noise, point.counts, rows.n) - 0.5 * float(free @ free)) / n
        pairs = zip(log_likelihood, self._weights, strict=True)
        log_evidence = ByKind(*(value + cost * weight for value, weight in pairs))
        return OpinionFit(prior, noise, numbers, emission, point, log_evidence, likelihood, free)
