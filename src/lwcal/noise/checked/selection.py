"""How checked rows were chosen, as far as their score and label do not say it already."""

import numpy as np

from lwcal.arrays import FloatArray, LabelArray


def unexplained_weights(
    scores: FloatArray, labels: LabelArray, probabilities: FloatArray
) -> FloatArray:
    """Inverse-probability weights of checked rows, without the part that needs none.

    What is learnt from checked rows is the truth *given* score and label. A choice by score and
    label, such as that of :func:`lwcal.plan_audit`, therefore does not distort it, and weighting
    for it would only add variance. A choice by anything else does, and is corrected: the weights
    are the inverse probabilities over what score and label lead to expect of them. They add up
    to the number of rows that equal weights would need for the same variance.

    >>> scores, labels = np.array([0.1, 0.4, 0.6, 0.9] * 3), np.array([0, 1] * 6, dtype=np.uint8)
    >>> unexplained_weights(scores, labels, np.where(labels == 1, 0.5, 0.1)).round(6).max()
    np.float64(1.0)
    >>> by_something_else = np.repeat([0.5, 0.1, 0.5], 4)
    >>> weights = unexplained_weights(scores, labels, by_something_else)
    >>> (weights[4:8] / weights[:4]).round(6)
    array([5., 5., 5., 5.])
    """
    if (probabilities == probabilities[0]).all():
        return np.ones_like(probabilities)  # not nearly ones: the rows are then counted exactly
    log_inverse = -np.log(probabilities)
    positive = labels.astype(np.float64)
    features = np.stack(
        [np.ones_like(scores), scores, scores**2, positive, positive * scores], axis=1
    )
    expected = features @ np.linalg.lstsq(features, log_inverse, rcond=None)[0]
    weights = np.exp(log_inverse - expected)
    return np.asarray(weights * (weights.sum() / (weights @ weights)))
