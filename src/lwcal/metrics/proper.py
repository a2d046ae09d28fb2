"""Proper scores: no probability has a better expected value than the true one."""

from typing import Any

from lwcal import kernels
from lwcal.kernels.pure import LOG_CLIP
from lwcal.metrics.inputs import as_metric_table
from lwcal.parameters import Between, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

NLL_CLIP = 1e-6
"""Probabilities are moved at least this far from 0 and 1 before their logarithm is taken."""
CLIP_RULE = Between(0.0, 0.5, open="both")


def brier(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Brier score: mean squared difference between probability and label (paper, equation 8).

    Parameters
    ----------
    y_true : one-dimensional, two classes; or ScoreTable
        Labels, which count as the truth. A :class:`lwcal.ScoreTable` holds labels, probabilities
        and weights, and is passed alone.
    y_prob : one-dimensional, in [0, 1]
        Probability of the positive class. Omitted for a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.
    pos_label : optional
        The positive class, where the labels do not make it obvious.

    Returns
    -------
    float

    Examples
    --------
    >>> round(brier([0, 1, 1], [0.5, 0.5, 1.0]), 3)
    0.167
    >>> round(brier(ScoreTable.from_counts([0.5, 1.0], negatives=[1, 0], positives=[1, 1])), 3)
    0.167
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    *_, negative, positive = table.class_errors
    return (negative + positive) / table.n


def nll(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    clip: float = NLL_CLIP,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Log loss: mean of ``-log`` of the label's probability (paper, equation 8).

    It is also called negative log likelihood. A single row with probability 0 for its label
    would make the mean infinite. With the default ``clip`` such a row costs 13.8.

    Parameters
    ----------
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip]. A clip below 2^-40 counts as that.
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(nll([0, 1, 1], [0.5, 0.5, 1.0]), 3)
    0.462
    """
    check_parameter("clip", clip, CLIP_RULE)
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    return float(kernels.log_loss(*table.columns, max(clip, LOG_CLIP)) / table.n)
