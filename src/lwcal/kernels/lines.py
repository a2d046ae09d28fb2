"""Sigmoids of lines, and flipped labels that follow them, in numpy."""

import numpy as np

from lwcal.arrays import FloatArray

LOG_CLIP = 2.0**-40
"""Logarithms clip probabilities to [LOG_CLIP, 1 - LOG_CLIP]."""


def softplus(values: FloatArray) -> FloatArray:
    """``log(1 + exp(z))``, which numpy's ``logaddexp`` finds in several times the time.

    >>> softplus(np.array([-800.0, 0.0, 800.0])).round(3)
    array([0.00e+00, 6.93e-01, 8.00e+02])
    """
    return np.asarray(np.maximum(values, 0.0) + np.log(1.0 + np.exp(-np.abs(values))))


def sigmoids(slopes: FloatArray, intercepts: FloatArray, z: FloatArray) -> FloatArray:
    """Return ``sigmoid(slope * z + intercept)`` for every line and every z, one row per line."""
    return _sigmoids(slopes[:, None], intercepts[:, None], z)[0]


def average_sigmoid(
    slopes: FloatArray, intercepts: FloatArray, weights: FloatArray, z: FloatArray
) -> FloatArray:
    """Return the weighted sum over lines of ``sigmoid(slope * z + intercept)``, at every z."""
    return np.asarray(weights @ _sigmoids(slopes[:, None], intercepts[:, None], z)[0])


def average_entropy(
    slopes: FloatArray, intercepts: FloatArray, weights: FloatArray, z: FloatArray
) -> FloatArray:
    """Return the weighted sum over lines of the entropy of a label that follows the line."""
    return np.asarray(weights @ entropy(sigmoids(slopes, intercepts, z)))


def entropy(probability: FloatArray) -> FloatArray:
    """Return the entropy of a label that is positive with this probability, in nats.

    >>> entropy(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.693])
    """
    possible = np.clip(probability, LOG_CLIP, 1.0 - LOG_CLIP)
    opposite = 1.0 - possible
    return np.asarray(-(possible * np.log(possible) + opposite * np.log(opposite)))


def sigmoid_sums(
    slopes: FloatArray, intercepts: FloatArray, z: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return the weighted sum over z of ``sigmoid(slope * z + intercept)``, for every line."""
    return np.asarray(sigmoids(slopes, intercepts, z) @ weights)


def flipped_log_likelihood(
    slopes: FloatArray,
    intercepts: FloatArray,
    rates: FloatArray,
    clip: float,
    z: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
) -> FloatArray:
    """Return the log likelihood of flipped labels that follow a sigmoid, for every line.

    ``P(label = 1 | z) = r0 + (1 - r0 - r1) * sigmoid(slope * z + intercept)``, clipped to
    ``[clip, 1 - clip]``. A row of ``rates`` holds the pair (r0, r1) of one line.
    """
    clean = _sigmoids(slopes[:, None], intercepts[:, None], z)
    noisy, opposite = _flipped(clean, rates[:, :1], rates[:, 1:], clip)
    np.log(noisy, out=noisy)
    np.log(opposite, out=opposite)
    return np.asarray(noisy @ positives + opposite @ negatives)


def flipped_derivatives(
    slope: float,
    intercept: float,
    r0: float,
    r1: float,
    clip: float,
    z: FloatArray,
    negatives: FloatArray,
    positives: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return :func:`flipped_log_likelihood` of one line, its gradient and expected information.

    The arrays of shape (4,) and (4, 4) are ordered by (log slope, intercept, r0, r1).
    """
    clean, dirty = _sigmoids(slope, intercept, z)
    noisy, opposite = _flipped((clean, dirty), r0, r1, clip)
    steepness = (1.0 - (r0 + r1)) * clean * dirty
    jacobian = np.stack([steepness * slope * z, steepness, dirty, -clean])
    height = float(np.log(noisy) @ positives + np.log(opposite) @ negatives)
    gradient = jacobian @ (positives / noisy - negatives / opposite)
    weight = (negatives + positives) / (noisy * opposite)
    return height, np.asarray(gradient), np.asarray((jacobian * weight) @ jacobian.T)


def _sigmoids(
    slope: FloatArray | float, intercept: FloatArray | float, z: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sigmoid of a line and 1 minus it, both accurate even if they are tiny."""
    odds = slope * z
    odds += intercept
    np.negative(odds, out=odds)
    np.minimum(odds, 700.0, out=odds)  # nothing overflows
    np.exp(odds, out=odds)
    sigmoid = 1.0 / (1.0 + odds)
    return sigmoid, np.multiply(odds, sigmoid, out=odds)


def _flipped(
    clean: tuple[FloatArray, FloatArray],
    r0: FloatArray | float,
    r1: FloatArray | float,
    clip: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of a positive and of a negative label after flips."""
    kept = 1.0 - (r0 + r1)
    noisy, opposite = kept * clean[0] + r0, kept * clean[1] + r1
    for probability in (noisy, opposite):
        np.clip(probability, clip, 1.0 - clip, out=probability)
    return noisy, opposite
