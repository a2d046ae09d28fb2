"""The posterior over noise hypotheses for several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.class_maps import ScalingMap
from lwcal.kernels.importance import log_sum, normalise
from lwcal.multiclass.checked_classes import CheckedClasses
from lwcal.multiclass.class_hypotheses import (
    LARGEST_RATE,
    NOISELESS,
    ONE_RATE,
    OVERCONFIDENT_RIGHT,
    RIGHT,
    ClassHypothesis,
    Knowledge,
)
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.joint_fit import EXACT, NEVER, ROUGH, JointFit, JointProblem
from lwcal.multiclass.scaling_numbers import ScalingPrior
from lwcal.noise.hypotheses import KNOWN, NO_NOISE, OVERCONFIDENT, ROWS_OF_EVIDENCE
from lwcal.noise.mixture import Mixture

MOST_ROWS = 20_000
"""Rows that the hypotheses are fitted to at most. What they disagree about does not depend on more
rows, and a scaling of 10 classes is then known to 0.3% of its log loss."""


@dataclass(frozen=True, eq=False)
class ClassComponent:
    """The fit of one hypothesis.

    Attributes
    ----------
    name : str
    log_weight : float
        Log of prior times tempered evidence.
    fit : JointFit
    """

    name: str
    log_weight: float
    fit: JointFit


@dataclass(frozen=True, eq=False)
class ClassPosterior(Mixture):
    """Fits of all hypotheses, and their probabilities.

    Attributes
    ----------
    components : tuple of ClassComponent
    probabilities : float64 array
        Probability of each component; they add up to 1.
    rows : ClassRows
        The unchecked rows that were fitted to: all, or a sample.
    checked : CheckedClasses
        The checked rows.
    """

    components: tuple[ClassComponent, ...]
    probabilities: FloatArray
    rows: ClassRows
    checked: CheckedClasses

    @property
    def noiseless(self) -> BoolArray:
        """Whether every label is right, for each component."""
        return np.array([component.name in NOISELESS for component in self.components])

    @property
    def matrix_is_known(self) -> bool:
        """Whether the noise matrix was given: evidence from outside the rows."""
        return any(component.name == KNOWN for component in self.components)

    def with_probability_clean(self, probability: float) -> ClassPosterior:
        """The same fits, reweighted to this probability that every label is right.

        Nothing changes if the prior excluded noise, or excluded its absence.
        """
        if self.noiseless.all() or not self.noiseless.any():
            return self
        given = np.where(self.noiseless, probability, 1.0 - probability)
        log_weights = np.array([component.log_weight for component in self.components])
        for side in (self.noiseless, ~self.noiseless):
            given[side] *= normalise(log_weights[side])
        return replace(self, probabilities=given)

    @property
    def scaling(self) -> ScalingMap:
        """The expected scaling: the mean of the numbers of all hypotheses.

        Its probabilities are the geometric means of theirs, made to sum to 1.
        """
        maps = [component.fit.scaling for component in self.components]
        return ScalingMap(
            np.tensordot(self.probabilities, [one.matrix for one in maps], 1),
            np.tensordot(self.probabilities, [one.intercepts for one in maps], 1),
            maps[0].softness,
        )

    @property
    def noise_matrix(self) -> FloatArray:
        """The expected noise matrix."""
        matrices = [component.fit.matrix for component in self.components]
        return np.asarray(np.tensordot(self.probabilities, matrices, 1))


def infer_classes(
    rows: ClassRows,
    hypotheses: Sequence[ClassHypothesis],
    checked: CheckedClasses | None = None,
    *,
    rows_of_evidence: float = ROWS_OF_EVIDENCE,
) -> ClassPosterior:
    """Fit every hypothesis, and weigh them by their tempered evidence.

    Checked rows count in full, however many rows there are: a wrong label is observed there, not
    inferred from how well a curve fits.

    Examples
    --------
    >>> from lwcal.multiclass.class_hypotheses import class_hypotheses
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.3] * 5, 3000)
    >>> labels = (rng.random((3000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> labels = np.where(rng.random(3000) < 0.3, rng.integers(0, 5, 3000), labels)
    >>> found = infer_classes(ClassRows.from_arrays(truth, labels), class_hypotheses(5))
    >>> found.probability_clean < 0.1, found.with_probability_clean(0.0).noise_matrix[0].round(2)
    (True, array([0.76, 0.06, 0.06, 0.06, 0.06]))
    """
    used = rows.sample(MOST_ROWS)
    problem = JointProblem(used, checked)
    power = 1.0 / (1.0 + used.n / rows_of_evidence)
    knowledge = Knowledge(used.scores, used.weights, rate=0.0)
    components: list[ClassComponent] = []
    overconfident: ClassHypothesis | None = None
    start: dict[ScalingPrior, FloatArray] = {}
    tolerance = ROUGH if len(hypotheses) > 1 else EXACT
    for hypothesis in hypotheses:
        if hypothesis.name == OVERCONFIDENT:
            overconfident = hypothesis
            continue
        # a search starts where the one before ended, if it had the same free numbers
        kind = hypothesis.prior
        noise = hypothesis.noise(knowledge)
        fit = problem.fit(kind, noise, start=start.get(kind), tolerance=tolerance)
        if hypothesis.name.endswith(ONE_RATE):
            knowledge = knowledge._replace(rate=1.0 - float(np.diagonal(fit.matrix).mean()))
        start[kind] = fit.numbers
        evidence = power * fit.log_evidence + fit.log_evidence_of_checks
        log_weight = np.log(hypothesis.weight) + evidence
        components.append(ClassComponent(hypothesis.name, float(log_weight), fit))
    if overconfident is not None:
        noisy = sum(one.weight for one in hypotheses if one.name not in NOISELESS)
        odds = float(np.log(overconfident.weight / noisy))
        components.append(_overconfident(components, odds, problem.checked))
    weights = normalise(np.array([component.log_weight for component in components]))
    return ClassPosterior(tuple(components), weights, used, problem.checked)


def _overconfident(
    components: Sequence[ClassComponent], log_odds: float, checked: CheckedClasses
) -> ClassComponent:
    """The rival of all noise: labels are right, and the model excludes what happens.

    The noise matrix of any other hypothesis may then be that of its mistakes, with the same
    likelihood. Only the prior of their share is another one, and checked rows can tell. The map is
    that of right labels.
    """
    noisy = [component for component in components if component.name not in NOISELESS]
    log_weights = [component.log_weight + _log_rival(component.fit, checked) for component in noisy]
    trusting = next(component.fit for component in components if component.name == NO_NOISE)
    log_weight = log_odds + float(log_sum(np.array(log_weights)))
    return ClassComponent(OVERCONFIDENT, log_weight, trusting)


def _log_rival(fit: JointFit, checked: CheckedClasses) -> float:
    """How much more probable a fit is if its noise matrix is that of an overconfident model."""
    shares = fit.counts.sum(axis=1)
    mistakes = float(shares @ (1.0 - np.diagonal(fit.matrix)) / shares.sum())
    of_prior = np.log(OVERCONFIDENT_RIGHT / RIGHT)
    of_prior += (OVERCONFIDENT_RIGHT - RIGHT) * np.log1p(-min(mistakes, LARGEST_RATE))
    if not checked.n:
        return float(of_prior)
    expected = fit.scaling.apply_unchecked(checked.scores) @ fit.matrix
    chosen = np.maximum(expected[np.arange(len(checked.truths)), checked.truths], NEVER)
    of_checks = float(checked.weights @ np.log(chosen)) + checked.wrong * np.log(NEVER)
    return float(of_prior + of_checks - fit.log_evidence_of_checks)
