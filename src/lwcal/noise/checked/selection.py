"""Correct for how the checked rows were chosen, beyond their scores and labels."""

import numpy as np

from lwcal.arrays import FloatArray, LabelArray


def unexplained_weights(
    scores: FloatArray, labels: LabelArray, probabilities: FloatArray
) -> FloatArray:
    """Inverse-probability weights of checked rows, net of what score and label explain.

    Checked rows teach the truth *given* score and label. A choice by score and label, such as
    that of :func:`lwcal.plan_audit`, does not bias that, and weighting for it would only add
    variance. A choice by anything else does, and these weights correct it: the inverse
    probabilities, divided by their expectation given score and label. They add up to the number
    of equally weighted rows with the same variance.

    >>> scores, labels = np.array([0.1, 0.4, 0.6, 0.9] * 3), np.array([0, 1] * 6, dtype=np.uint8)
    >>> unexplained_weights(scores, labels, np.where(labels == 1, 0.5, 0.1)).round(6).max()
    np.float64(1.0)
    >>> by_something_else = np.repeat([0.5, 0.1, 0.5], 4)
    >>> weights = unexplained_weights(scores, labels, by_something_else)
    >>> (weights[4:8] / weights[:4]).round(6)
    array([5., 5., 5., 5.])
    """
    positive = labels.astype(np.float64)
    features = [np.ones_like(scores), scores, scores**2, positive, positive * scores]
    return net_weights(np.stack(features, axis=1), probabilities)


def net_weights(features: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Inverse-probability weights, divided by what the features of the rows explain of them."""
    if (probabilities == probabilities[0]).all():
        return np.ones_like(probabilities)  # exact ones, so that rows are counted exactly
    log_inverse = -np.log(probabilities)
    expected = features @ np.linalg.lstsq(features, log_inverse, rcond=None)[0]
    weights = np.exp(log_inverse - expected)
    return np.asarray(weights * (weights.sum() / (weights @ weights)))
