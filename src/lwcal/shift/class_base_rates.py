"""The base rates of new rows of several classes, from the mixture of labels that explains them.

The noise matrix says how many of the rows with each label are truly of each class, so a mixture of
labels becomes a mixture of classes. Of all base rates from 0 to 1, the nearest are taken: those of
greatest likelihood. The mixture is drawn from its sampling error and the matrix from what is known
of it, so the draws tell how uncertain the base rates are. A matrix that would need base rates below
0 is hardly possible, and counts for little.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.special import chdtrc

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.shift.base_rate import CONFIDENCE, LEAST_SHARE, LESS_NOISE, STEPS
from lwcal.shift.class_mixture import ClassMixture
from lwcal.shift.noise_matrices import drawn_matrices
from lwcal.shift.readings import MOST_NOISE

DRAWS = 200
"""Draws of the mixture and of the matrix; as many again with fewer wrong labels."""
SEED = 0
WORST_CONDITION = 1e3
"""Of a noise matrix: through a worse one, labels say nothing about some classes."""
SUM = 1e4
"""Weight of "the base rates add up to 1", in standard errors."""
LEAST_WEIGHT = 1e-12
LEAST_CELL = 20
"""Rows of a cell whose labels limit how many are wrong."""
CAREFUL_SIGMAS = 3.0
"""Standard errors to the limit in each cell; the lowest of many is used."""


class ClassBaseRates(NamedTuple):
    """Base rates, and whether any are possible.

    Attributes
    ----------
    estimates : tuple of Estimate, or None
        One for each class; None if none are possible.
    probability : float
        Probability of a mixture that is at least as far from possible base rates, averaged over
        what is believed about the labels: near 0 if no base rates explain the new rows.
    draws, weights : float64 arrays
        Possible base rates, of shape (n, K), and their probabilities.
    """

    estimates: tuple[Estimate, ...] | None
    probability: float
    draws: FloatArray
    weights: FloatArray


def class_base_rates_from(
    mixture: ClassMixture,
    labels: FloatArray,
    noise: ClassNoiseEstimate | None,
    *,
    n: float,
    estimated: bool,
) -> ClassBaseRates:
    """Infer the base rates of the new rows.

    Parameters
    ----------
    mixture : ClassMixture
        What explains the new rows.
    labels : float64 array of shape (K,)
        Rows of the fit with each label; at least one of each.
    noise : ClassNoiseEstimate or None
        What is believed about wrong labels; None if every label counts as right.
    n : float
        Number of new rows. Half a row is added to each class, so that none is impossible.
    estimated : bool
        Whether the noise was estimated from labels and scores alone. The intervals then allow for
        fewer wrong labels, down to none.

    Examples
    --------
    >>> mixture = ClassMixture(np.array([0.5, 0.3, 0.2]), 1e-4 * (np.eye(3) - 1 / 3), 0.5, 0.0)
    >>> found = class_base_rates_from(mixture, np.full(3, 100), None, n=1e4, estimated=False)
    >>> f"{found.estimates[0]:.2f}"
    '0.50 (0.49 to 0.52)'
    """
    rng = np.random.default_rng(SEED)
    k = len(labels)
    drawn = [_Possible.of(mixture, labels, matrices, rng) for matrices in _matrices(k, noise, rng)]
    if not estimated or noise is None:
        drawn = drawn[:1]
    believed = drawn[0]
    if not believed.weights.sum() > LEAST_WEIGHT:
        return ClassBaseRates(None, 0.0, believed.rates, believed.weights)
    values = believed.weights @ believed.rates / believed.weights.sum()
    values = (n * values + 0.5) / (n + 0.5 * k)
    parts = [1.0] if len(drawn) == 1 else [1.0 - LESS_NOISE, LESS_NOISE]
    rates = np.concatenate([one.rates for one in drawn])
    weights = np.concatenate([p * one.weights for p, one in zip(parts, drawn, strict=True)])
    weights /= weights.sum()
    probability = sum(p * one.probability for p, one in zip(parts, drawn, strict=True))
    tail = (1.0 - CONFIDENCE) / 2.0
    estimates = []
    for value, column in zip(values.tolist(), rates.T, strict=True):
        low, high = weighted_quantiles(column, weights, (tail, 1.0 - tail))
        estimates.append(Estimate(value, min(low, value), max(high, value)))
    return ClassBaseRates(tuple(estimates), probability, rates, weights)


def rates_if_labels_are_wrong(mixture: ClassMixture, counts: FloatArray) -> list[tuple[float, ...]]:
    """Base rates of the new rows if some labels of the fit are wrong, each of them at random.

    Parameters
    ----------
    mixture : ClassMixture
        What explains the new rows.
    counts : float64 array
        Rows of the fit in each cell, by label. Where a label is rarest, it is there at least as
        often as other classes are mistaken for it.
    """
    k = counts.shape[1]
    labels = counts.sum(axis=0)
    by_class = counts.reshape(k, -1, k).sum(axis=1)  # all bands of a class, which are more rows
    filled = np.concatenate([counts, by_class])
    filled = filled[filled.sum(axis=1) >= LEAST_CELL]
    if not len(filled):
        return []
    total = filled.sum(axis=1, keepdims=True)
    share = (filled + 0.5) / (total + 0.5 * k)
    highest = share + CAREFUL_SIGMAS * np.sqrt(share * (1.0 - share) / total)
    most = min((k - 1) * float(highest.min()), MOST_NOISE)
    whiten: FloatArray = np.asarray(np.linalg.inv(_root(mixture.covariance[:-1, :-1])))
    found = []
    for rate in (0.5 * most, most):
        matrix = np.full((k, k), rate / (k - 1)) + (1.0 - rate * k / (k - 1)) * np.eye(k)
        to_labels = _labels_by_class(matrix, labels / labels.sum())
        if to_labels is not None:
            nearest, _ = _nearest(whiten, to_labels, mixture.shares[:-1])
            found.append(tuple(nearest.tolist()))
    return found


def _matrices(
    k: int, noise: ClassNoiseEstimate | None, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Noise matrices as they were estimated, and with fewer wrong labels."""
    right = np.tile(np.eye(k), (DRAWS, 1, 1))
    if noise is None:
        yield right
        return
    matrices = drawn_matrices(noise, DRAWS, rng)
    yield matrices
    part = rng.permutation(np.resize(STEPS, DRAWS))[:, None, None]
    yield part * matrices + (1.0 - part) * right


class _Possible(NamedTuple):
    """Base rates from 0 to 1, one line for each matrix, with the weights of the matrices."""

    rates: FloatArray
    weights: FloatArray
    probability: float

    @classmethod
    def of(
        cls,
        mixture: ClassMixture,
        labels: FloatArray,
        matrices: FloatArray,
        rng: np.random.Generator,
    ) -> _Possible:
        k = len(labels)
        labelled = rng.dirichlet(labels, len(matrices))  # the rows of the fit are a sample
        errors = _root(mixture.covariance[:-1, :-1])
        normal = rng.standard_normal((len(matrices), k - 1)) @ errors.T
        whiten: FloatArray = np.asarray(np.linalg.inv(errors), dtype=np.float64)
        rates, weights = np.empty((len(matrices), k)), np.zeros(len(matrices))
        probability = 0.0
        rates[:] = labels / labels.sum()
        for i, matrix in enumerate(matrices):
            to_labels = _labels_by_class(matrix, labelled[i])
            if to_labels is None:
                continue
            nearest, distance = _nearest(whiten, to_labels, mixture.shares[:-1])
            # the test of Susko (2013): as many degrees of freedom as base rates are 0
            at_zero = int((nearest <= LEAST_SHARE).sum())
            probability += float(chdtrc(at_zero, distance)) if at_zero else 1.0
            weights[i] = np.exp(-0.5 * distance)
            rates[i], _ = _nearest(whiten, to_labels, mixture.shares[:-1] + normal[i])
        return cls(rates, weights / len(matrices), probability / len(matrices))


def _root(covariance: FloatArray) -> FloatArray:
    jitter = 1e-12 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    return np.asarray(np.linalg.cholesky(covariance + jitter))


def _labels_by_class(matrix: FloatArray, labelled: FloatArray) -> FloatArray | None:
    """What mixture of labels each class is; None if the matrix contradicts the labels of the fit.

    >>> noise = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> _labels_by_class(noise, np.array([0.4, 0.3, 0.3]))[:, 1].round(2)  # labels b less some a
    array([-0.5,  1.5,  0. ])
    """
    if np.linalg.cond(matrix) > WORST_CONDITION:
        return None
    inverse = np.linalg.inv(matrix)
    truly = labelled @ inverse  # base rates of the fit
    if (truly < LEAST_SHARE).any():
        return None
    # rows with label j are of class k with probability truly[k] * matrix[k, j] / labelled[j]
    return np.asarray(labelled[:, None] * inverse / truly)


def _nearest(
    whiten: FloatArray, to_labels: FloatArray, shares: FloatArray
) -> tuple[FloatArray, float]:
    """Base rates whose mixture of labels is nearest, and its squared distance."""
    design = np.vstack([whiten @ to_labels[:-1], np.full(to_labels.shape[1], SUM)])
    found, _ = nnls(design, np.append(whiten @ shares, SUM))
    found = found / found.sum()
    off = design[:-1] @ found - whiten @ shares
    return np.asarray(found), float(off @ off)
