"""Fit a scaling and a noise matrix together, by maximum a posteriori.

The probability of label l for a row is the sum over true classes k of ``c[k] * T[k, l]``, with c
the scaled probabilities of the row and T the noise matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import exp
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from lwcal import kernels
from lwcal.arrays import FloatArray, IndexArray
from lwcal.class_maps import ScalingMap, centred_logs
from lwcal.multiclass.checked_classes import CheckedClasses
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.label_noise import KnownNoise, NoiseModel
from lwcal.multiclass.scaling_numbers import Layout, Numbers, ScalingPrior
from lwcal.noise.logit_counts import softness

NEVER = 1e-12
"""Probability of a label that a noise matrix excludes, if a checked row has it all the same."""
SOFTEST = 0.5
"""Largest softness, where rows weigh less than one row together."""
EXACT, ROUGH = 1e-13, 1e-8
"""Relative decrease of the mean loss that ends a search. Hypotheses are averaged, so they need
less than a fit that stands alone."""


class JointFit(NamedTuple):
    """The most probable scaling and noise matrix.

    Attributes
    ----------
    scaling : ScalingMap
    matrix : float64 array of shape (K, K)
        Probability of each label (column) for each true class (row).
    log_evidence : float
        Log probability of the unchecked labels, up to a term that all fits to the same rows share.
    log_evidence_of_checks : float
        Log probability of the labels and true classes of the checked rows.
    counts : float64 array of shape (K, K)
        Expected number of rows by true class (row) and label (column).
    numbers : float64 array
        Free numbers of the scaling, where the search for a similar fit can start.
    """

    scaling: ScalingMap
    matrix: FloatArray
    log_evidence: float
    log_evidence_of_checks: float
    counts: FloatArray
    numbers: FloatArray


class _Point(NamedTuple):
    """What the likelihood is at one point of the search."""

    likelihood: float
    likelihood_of_checks: float
    by_numbers: FloatArray
    counts: FloatArray


class JointProblem:
    """Rows, ready to be fitted to again and again.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.3, 0.3, 0.3], 4000)
    >>> labels = (rng.random((4000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> labels = np.where(rng.random(4000) < 0.2, (labels + 1) % 3, labels)  # every fifth is wrong
    >>> noise = KnownNoise(0.8 * np.eye(3) + 0.2 * np.roll(np.eye(3), 1, axis=1))
    >>> problem = JointProblem(ClassRows.from_arrays(truth, labels))
    >>> slopes = [problem.fit(ScalingPrior(2.0), found).scaling.matrix[0, 0].round(1)
    ...           for found in (KnownNoise(np.eye(3)), noise)]
    >>> slopes
    [np.float64(0.4), np.float64(1.0)]
    """

    def __init__(self, rows: ClassRows, checked: CheckedClasses | None = None) -> None:
        self.rows = rows
        self.checked = CheckedClasses.nothing(rows.n_classes) if checked is None else checked
        self.n = rows.n + self.checked.n
        self._seen, self._right = self.checked.counts, np.eye(rows.n_classes)
        self.softness = min(softness(self.n), SOFTEST)
        self._scores = np.concatenate([rows.scores, self.checked.scores])
        self._weights = np.concatenate([rows.weights, self.checked.weights])
        self._x = centred_logs(self._scores, self.softness)
        unchecked, others = np.split(self._x, [len(rows.labels)])
        self._features = np.ascontiguousarray(unchecked.T)
        self._features_of_checks = np.ascontiguousarray(others.T)

    def fit(
        self,
        prior: ScalingPrior,
        noise: NoiseModel,
        *,
        start: FloatArray | None = None,
        tolerance: float = ROUGH,
    ) -> JointFit:
        """Find the most probable numbers.

        Parameters
        ----------
        prior : ScalingPrior
        noise : NoiseModel
        start : float64 array, optional
            Numbers of a scaling with the same free numbers; default: the raw scores.
        tolerance : float
            Relative decrease of the mean loss that ends the search.
        """
        layout = Layout(prior, self.rows.n_classes)
        spread = layout.spread(self._scores, self._weights, self._x)
        unit = np.concatenate([spread, noise.units(self.n)])
        size, n = len(spread), max(self.n, 1.0)

        def loss(steps: FloatArray) -> tuple[float, FloatArray]:
            found = steps * unit
            numbers, free = found[:size], found[size:]
            at = self._at(layout, numbers, noise.matrix(free))
            log_prior, by_noise = noise.ascent(free, at.counts)
            value = (
                at.likelihood + at.likelihood_of_checks + log_prior - 0.5 * float(numbers @ numbers)
            )
            gradient = np.concatenate([at.by_numbers - numbers, by_noise])
            return -value / n, -gradient * unit / n

        begin = np.zeros(size) if start is None else start
        first = np.concatenate([begin, noise.start()]) / unit
        numbers, free = np.split(minimise(loss, first, tolerance) * unit, [size])
        at = self._at(layout, numbers, noise.matrix(free))
        evidence = at.likelihood - 0.5 * float(numbers @ numbers) + noise.occam(free, at.counts)
        found = layout.unpack(numbers)
        scaling = ScalingMap(found.matrix, found.intercepts, self.softness)
        return JointFit(
            scaling, noise.matrix(free), evidence, at.likelihood_of_checks, at.counts, numbers
        )

    def _at(self, layout: Layout, free: FloatArray, noise_matrix: FloatArray) -> _Point:
        k = self.rows.n_classes
        numbers = layout.unpack(free)
        slope = exp(numbers.log_slope)
        matrix = numbers.matrix if layout.has_matrix else slope + numbers.diagonal
        rows, checked = self.rows, self.checked
        likelihood, by_matrix, by_intercepts, counts = _likelihood(
            self._features, rows.labels, rows.weights, matrix, numbers.intercepts, noise_matrix
        )
        counts, of_checks = np.ascontiguousarray(counts.reshape(k, k).T), 0.0
        if len(checked.truths):
            # a checked label is an opinion that is always right, and the label is another one
            of_checks, more_by_matrix, more_by_intercepts, _ = _likelihood(
                self._features_of_checks,
                checked.truths,
                checked.weights,
                matrix,
                numbers.intercepts,
                self._right,
            )
            by_matrix = by_matrix + more_by_matrix
            by_intercepts = by_intercepts + more_by_intercepts
            log_noise = np.log(np.maximum(noise_matrix, NEVER))
            of_checks += float((self._seen * log_noise).sum())
            counts = counts + self._seen
        by_slopes = by_matrix[:: k + 1] if layout.has_matrix else by_matrix
        gradient = Numbers(slope * by_slopes.sum(), by_intercepts, by_slopes, by_matrix)
        by_numbers = layout.pack(gradient) * layout.deviations
        return _Point(likelihood, of_checks, by_numbers, counts)


def _likelihood(
    features: FloatArray,
    labels: IndexArray,
    weights: FloatArray,
    matrix: FloatArray,
    intercepts: FloatArray,
    noise_matrix: FloatArray,
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Log-likelihood, its gradients, and the counts by label and true class; also of no rows."""
    if not len(labels):
        return 0.0, np.zeros(matrix.size), np.zeros(len(intercepts)), np.zeros(noise_matrix.size)
    value, by_matrix, by_intercepts, counts = kernels.class_likelihood(
        features, labels, weights, matrix, intercepts, noise_matrix
    )
    return value, by_matrix, by_intercepts, np.asarray(counts)


def fit_scaling(rows: ClassRows, prior: ScalingPrior) -> ScalingMap:
    """Fit a scaling, with the labels taken as right.

    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.5, 0.5, 0.5], 5000)
    >>> labels = (rng.random((5000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> flat = truth**0.5 / (truth**0.5).sum(axis=1, keepdims=True)
    >>> fit_scaling(ClassRows.from_arrays(flat, labels), ScalingPrior(2.0)).matrix[0, 0].round(1)
    np.float64(2.0)
    """
    right = KnownNoise(np.eye(rows.n_classes))
    return JointProblem(rows).fit(prior, right, tolerance=EXACT).scaling


def minimise(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], start: FloatArray, tolerance: float
) -> FloatArray:
    """Find where a loss is lowest, from its values and gradients."""
    from scipy.optimize import minimize  # slow to import, and most calibrators need none

    # the search adds up in one order with one thread, and its threads would wait for ours
    with _linear_algebra().limit(limits=1):
        found = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 500, "maxfun": 1000, "ftol": tolerance, "gtol": 1e-8},
        )
    return np.asarray(found.x)


@cache
def _linear_algebra() -> ThreadpoolController:
    """The libraries that the search uses; finding them takes as long as some searches."""
    return ThreadpoolController().select(user_api="blas")
