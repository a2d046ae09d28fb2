"""The rival of every noise hypothesis: labels are right, and the curve has any smooth shape.

Every noise image ``r0 + (1 - r0 - r1) c(z)`` is a curve that clean labels could have drawn. What
tells them apart is the belief that the clean curve is a line in log-odds. This rival drops that
belief: its log-odds are a line plus a smooth function of the rank of the score. Where it explains
the labels better, a misshapen model is the better explanation, and no rate is believed.
"""

from __future__ import annotations

import numpy as np

from lwcal import kernels
from lwcal.arrays import FloatArray
from lwcal.kernels.importance import log_sum
from lwcal.noise.forward import CLIP
from lwcal.noise.logit_counts import BINS_PER_LOGIT, NOTHING_CHECKED, LabelCounts, LogitCounts

WAVES = 6
"""Cosines of the rank, from half a wave to three waves over all rows."""
AMPLITUDES = (0.5, 1.5, 4.0)
"""Standard deviations of the first cosine, in log-odds; the k-th has 1/k of it."""
LINE_SD = 0.8
"""Standard deviation of slope and intercept, around those of the score itself."""


def flexible_log_evidence(counts: LogitCounts) -> float:
    """Log probability of labels and checked truths, by Laplace's method.

    It is averaged over the amplitudes.

    >>> z = np.linspace(-3, 3, 25)
    >>> step = np.where(z > 0, 40.0, 10.0)  # as a linear model on one feature shows it
    >>> flexible_log_evidence(LogitCounts(z, 100.0 - step, step, 1e-3)) > -1300
    True
    """
    rows = _all_rows(counts)
    z, negatives, positives = rows
    rank = _smooth_rank(z, negatives + positives)
    waves = np.arange(1.0, WAVES + 1.0)
    cosines = np.sqrt(2.0) * np.cos(np.pi * np.outer(waves, rank))
    features = np.vstack([z, np.ones_like(z), cosines])
    found, start = [], np.zeros(len(features))
    for size in AMPLITUDES:
        sd = np.array([LINE_SD, LINE_SD, *(size / waves)])
        evidence, start = _log_evidence(features, rows, sd, start)
        found.append(evidence)
    # every wrong label that a check found contradicts that labels are right
    contradicted = np.log(CLIP) * counts.checked.flipped.sum()
    return float(log_sum(np.array(found)) - np.log(len(found)) + contradicted)


def _smooth_rank(z: FloatArray, total: FloatArray) -> FloatArray:
    """Share of rows below each z, averaged over one bin of log-odds around it.

    Scores that differ in their last bits have nearly the same rank, whether they are pooled or not.

    >>> _smooth_rank(np.array([0.0, 1.0, 1.0 + 1e-12]), np.ones(3)).round(6)
    array([0.166667, 0.666667, 0.666667])
    """
    below = np.concatenate([[0.0], np.cumsum(total)])
    moment = np.concatenate([[0.0], np.cumsum(total * z)])

    def area(x: FloatArray) -> FloatArray:
        """Integral of the share of rows below, up to x."""
        rows = np.searchsorted(z, x, side="right")
        return np.asarray(x * below[rows] - moment[rows])

    reach = 0.5 / BINS_PER_LOGIT
    return np.asarray((area(z + reach) - area(z - reach)) / (2.0 * reach * below[-1]))


def _all_rows(counts: LogitCounts) -> LabelCounts:
    """Labels of the unchecked rows and truths of the checked rows, at increasing log-odds."""
    if counts.checked is NOTHING_CHECKED:
        return counts.labels
    pairs = zip(counts.labels, counts.checked.truths, strict=True)
    z, negatives, positives = (np.concatenate(pair) for pair in pairs)
    order = np.argsort(z, kind="stable")
    return z[order], negatives[order], positives[order]


def _log_evidence(
    features: FloatArray, rows: LabelCounts, sd: FloatArray, start: FloatArray
) -> tuple[float, FloatArray]:
    """Log evidence of a logistic regression with a normal prior around the score itself.

    Also returned are the most probable deviations from the score, where the next search starts.
    """
    # in units of the prior, information is at least 1 in every direction
    scaled, prior = features * sd[:, None], np.zeros((len(sd), 3))
    prior[:, 1] = 1.0
    height, mode, information = kernels.regression_mode(scaled, *rows, prior, start / sd)
    return float(height - 0.5 * np.linalg.slogdet(information)[1]), mode * sd
