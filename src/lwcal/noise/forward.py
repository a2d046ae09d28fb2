"""The forward model: noisy labels as a corruption of a clean posterior, fitted through it.

With z the log-odds of the score, the clean posterior is ``c(z) = sigmoid(a * z + b)``, and
class-conditional noise makes the labels follow its affine image

    P(noisy = 1 | z) = r0 + (1 - r0 - r1) * c(z).

A hypothesis states the prior of a, b and the rates. Its posterior is a set of weighted draws. The
draws are quasi-random and fixed, so equal tables give equal answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.kernels.importance import standard_points
from lwcal.kernels.noise_model import NoisePrior, log_likelihood, slope_at
from lwcal.kernels.rate_priors import RatePrior
from lwcal.noise.logit_counts import LogitCounts

CLIP = 1e-12
"""Smallest probability of an observed label, inside logarithms only."""


@dataclass(frozen=True)
class Hypothesis:
    """A prior of slope, intercept and flip rates.

    Attributes
    ----------
    name : str
    weight : float
        Prior probability of this hypothesis, up to a factor shared by all hypotheses.
    rates : RatePrior
        Prior of the flip rates.
    slope_mean, slope_sd : float
        Mean and standard deviation of ``log(a)``, which is normal.
    intercept_sd : float
        Standard deviation of b, which is normal. Its mean is what the training labels imply: a
        model trained on labels with the same noise scores 1/2 where the noisy labels are
        balanced, not where the clean ones are.
    inherited : float
        How much of that shift is expected, from 0 (none) to 1 (all of it).
    softness : float
        Least softening of the log-odds. An overconfident model calls some events nearly
        impossible; about this share of them happens.
    steepening : float
        How much of ``-log(1 - r0 - r1)`` is added to the mean of ``log(a)``. Noise makes labels
        look flatter than the truth: by the factor ``1 - r0 - r1`` where they are balanced, and
        by more elsewhere.
    slope_from_labels : bool
        Whether the mean of ``log(a)`` is relative to the apparent slope, which is the slope of
        the labels taken as right. Models differ more in steepness than noise changes it.
    flexible : bool
        Whether the log-odds of the truth may bend anywhere; see :mod:`lwcal.noise.flexible`. The
        draws are those of the line, which predicts as well on development tasks.
    """

    name: str
    weight: float
    rates: RatePrior
    slope_mean: float
    slope_sd: float
    intercept_sd: float
    inherited: float
    softness: float = 0.0
    steepening: float = 0.0
    slope_from_labels: bool = False
    flexible: bool = False

    @property
    def is_point(self) -> bool:
        """Whether nothing is free: the score itself is the clean posterior."""
        return self.slope_sd == 0.0

    @property
    def prior(self) -> NoisePrior:
        """As the kernels take it."""
        return NoisePrior(
            self.slope_mean,
            self.slope_sd,
            self.intercept_sd,
            self.inherited,
            self.steepening,
            self.rates,
        )

    def centred_on(self, apparent_log_slope: float) -> Hypothesis:
        """Return the same prior in absolute terms, given the apparent slope of the labels."""
        if not self.slope_from_labels:
            return self
        mean = self.slope_mean + apparent_log_slope
        return replace(self, slope_mean=mean, slope_from_labels=False)


class Mode(NamedTuple):
    """Most probable parameters, and the information there."""

    parameters: FloatArray
    information: FloatArray


class Draws(NamedTuple):
    """Weighted draws from a posterior."""

    slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    log_weights: FloatArray


def draw_each(
    cases: Sequence[tuple[Hypothesis, LogitCounts]], modes: Mapping[Hypothesis, Mode] | None = None
) -> list[Draws]:
    """Draw from the posterior of each hypothesis, given the counts beside it.

    The weights of one add up to an estimate of the evidence: the probability of the labels under
    the hypothesis. Modes are searched unless they are given. The draws use several threads.
    """
    known = modes or {}
    searched = [
        (one, counts, known.get(one) or mode_of(one, counts))
        for one, counts in cases
        if not one.is_point
    ]
    drawn = iter(kernels.noise_draws([_task(*case) for case in searched]))
    return [
        _only_draw(one, counts) if one.is_point else Draws(*next(drawn)) for one, counts in cases
    ]


def _task(hypothesis: Hypothesis, counts: LogitCounts, mode: Mode) -> tuple[Any, ...]:
    """As the kernel takes it."""
    prior = hypothesis.prior
    return (prior.numbers, *mode, *standard_points(prior.size), CLIP, *counts.evidence)


def _only_draw(hypothesis: Hypothesis, counts: LogitCounts) -> Draws:
    line = np.array([[hypothesis.slope_mean, 0.0]])
    known = hypothesis.rates.rates(line[:, 2:])
    weight = log_likelihood(CLIP, counts.evidence, line, known)
    return Draws(slope_at(line[:, 0]), line[:, 1], known, weight)


def mode_of(hypothesis: Hypothesis, counts: LogitCounts) -> Mode:
    """Find the most probable parameters, and the information there."""
    return Mode(*kernels.noise_mode(hypothesis.prior.numbers, CLIP, *counts.evidence))
