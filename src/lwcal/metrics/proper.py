"""Proper scores: the best expected value belongs to the true probability."""

from typing import Any

import numpy as np

from lwcal.metrics._table import pooled
from lwcal.parameters import Between, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

NLL_CLIP = 1e-6
"""Probabilities are moved this far from 0 and 1 before their logarithm is taken."""
CLIP_RULE = Between(0.0, 0.5, open="both")


def brier(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Brier score: mean squared distance of probability and label (paper, equation 8).

    Parameters
    ----------
    y_true : one-dimensional, two classes
        Labels, taken as the truth.
    y_prob : one-dimensional, in [0, 1]
        Probability of the positive class.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> round(brier([0, 1, 1], [0.5, 0.5, 1.0]), 3)
    0.167
    """
    return brier_of(pooled(y_true, y_prob, sample_weight, pos_label))


def nll(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    clip: float = NLL_CLIP,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Negative log likelihood: mean of ``-log`` of the label's probability (paper, equation 8).

    A single row with probability 0 for its label would make the mean infinite. With the
    default ``clip`` such a row costs 13.8.

    Parameters
    ----------
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip].
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> round(nll([0, 1, 1], [0.5, 0.5, 1.0]), 3)
    0.462
    """
    return nll_of(pooled(y_true, y_prob, sample_weight, pos_label), clip)


def brier_of(table: ScoreTable) -> float:
    """Brier score of a table."""
    squares = table.negatives * table.scores**2 + table.positives * (1.0 - table.scores) ** 2
    return float(squares.sum() / table.n)


def nll_of(table: ScoreTable, clip: float = NLL_CLIP) -> float:
    """Negative log likelihood of a table."""
    check_parameter("clip", clip, CLIP_RULE)
    p = np.clip(table.scores, clip, 1.0 - clip)
    losses = table.negatives * np.log1p(-p) + table.positives * np.log(p)
    return float(-losses.sum() / table.n)
