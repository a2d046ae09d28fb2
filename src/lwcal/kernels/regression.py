"""Logistic regression with a normal prior: the mode of its posterior, and draws from it.

Labels follow ``sigmoid(offset + coefficients @ features)``. A coefficient is a parameter or, where
it has to be positive, the exponential of one. The prior of the parameters is normal; log posteriors
leave out its constant. This is the twin in numpy of ``native/regression.hpp``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray
from lwcal.kernels.importance import Standard, importance_sample
from lwcal.kernels.lines import softplus
from lwcal.kernels.newton import Local, find_mode, inverse
from lwcal.kernels.noise_model import slope_at


class Regression(NamedTuple):
    """Labels with their features, and the prior of the parameters.

    Examples
    --------
    >>> prior = np.array([[0.0, 1.0, 0.0]])
    >>> even = Regression(np.ones((1, 1)), np.zeros(1), np.ones(1), np.ones(1), prior)
    >>> even.heights(np.zeros((1, 1))).round(3), even.local(np.zeros(1)).gradient
    (array([-1.386]), array([0.]))
    """

    features: FloatArray
    """Of shape (parameters, rows)."""
    offset: FloatArray
    negatives: FloatArray
    positives: FloatArray
    prior: FloatArray
    """For each parameter: mean, standard deviation, and 1 if it is the log of a coefficient."""

    def heights(self, parameters: FloatArray) -> FloatArray:
        """Log posteriors at points of shape (k, parameters)."""
        linear = self.offset + self._coefficients(parameters) @ self.features
        total = self.negatives + self.positives
        likelihood = linear @ self.positives - softplus(linear) @ total
        return np.asarray(likelihood - 0.5 * (self._residuals(parameters) ** 2).sum(axis=1))

    def local(self, parameters: FloatArray) -> Local:
        """Log posterior at one point, its gradient and its expected information."""
        coefficients, sd = self._coefficients(parameters), self.prior[:, 1]
        probability = expit(self.offset + coefficients @ self.features)
        # the derivative of a coefficient by its logarithm is the coefficient
        jacobian = self.features * np.where(self._in_logs, coefficients, 1.0)[:, None]
        expected = (self.negatives + self.positives) * probability
        return Local(
            float(self.heights(parameters[None])[0]),
            jacobian @ (self.positives - expected) - self._residuals(parameters) / sd,
            (jacobian * (expected * (1.0 - probability))) @ jacobian.T + np.diag(sd**-2.0),
        )

    @property
    def _in_logs(self) -> FloatArray:
        return self.prior[:, 2]

    def _coefficients(self, parameters: FloatArray) -> FloatArray:
        return np.where(self._in_logs, slope_at(parameters), parameters)

    def _residuals(self, parameters: FloatArray) -> FloatArray:
        return np.asarray((parameters - self.prior[:, 0]) / self.prior[:, 1])


def regression_mode(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    start: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the highest log posterior, the parameters there, and their information."""
    model = Regression(features, offset, negatives, positives, prior)
    mode, information = find_mode(model.heights, model.local, start)
    return float(model.heights(mode[None])[0]), mode, information


def regression_draws(
    features: FloatArray,
    offset: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
    prior: FloatArray,
    mode: FloatArray,
    information: FloatArray,
    standard: FloatArray,
    log_constant: float,
) -> tuple[FloatArray, FloatArray]:
    """Return draws of shape (parameters, k) and their log weights.

    The points of the standard proposal have the shape (rounds, k, parameters); see
    :class:`lwcal.kernels.importance.Standard`.
    """
    model = Regression(features, offset, negatives, positives, prior)
    given = Standard(standard, log_constant)
    points, log_weights = importance_sample(model.heights, mode, inverse(information), given)
    return points.T, log_weights
