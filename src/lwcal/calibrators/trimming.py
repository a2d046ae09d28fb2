"""Hard trimming: leave out the labels the model contradicts most."""

import numpy as np

from lwcal import kernels
from lwcal.numerics.quantiles import weighted_quantile
from lwcal.parameters import Between
from lwcal.table import ScoreTable

KEEP_RULE = Between(0.0, 1.0, open="low")


def trim(table: ScoreTable, keep: float) -> ScoreTable:
    """Keep the rows whose loss is at most the ``keep`` quantile of all losses.

    Rows with equal loss stay or go together. When that would leave one class only, nothing
    is trimmed: no probability can be learned from the rest.
    """
    if_negative = kernels.log_losses(1.0 - table.scores)
    if_positive = kernels.log_losses(table.scores)
    losses = np.concatenate((if_negative, if_positive))
    weights = np.concatenate((table.negatives, table.positives))
    limit = weighted_quantile(losses, weights, keep)
    negatives = np.where(if_negative <= limit, table.negatives, 0.0)
    positives = np.where(if_positive <= limit, table.positives, 0.0)
    if not (negatives.any() and positives.any()):
        return table
    kept = negatives + positives > 0
    return ScoreTable.unchecked(table.scores[kept], negatives[kept], positives[kept])
