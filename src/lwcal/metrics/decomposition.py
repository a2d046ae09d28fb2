"""The Brier score in three parts: miscalibration, discrimination and uncertainty."""

from dataclasses import dataclass
from typing import Any

from lwcal import kernels
from lwcal.metrics.inputs import DerivedTable, as_metric_table
from lwcal.metrics.proper import brier
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable


@dataclass(frozen=True)
class BrierDecomposition:
    """Parts of a Brier score: ``brier = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    miscalibration : float
        How much the best monotone recalibration on the same rows lowers the score. 0 is best.
    discrimination : float
        How much lower the score of the recalibrated probabilities is than that of the base rate.
    uncertainty : float
        Brier score of predicting the base rate for every row.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def brier(self) -> float:
        """The Brier score, which is the sum of the parts."""
        return self.miscalibration - self.discrimination + self.uncertainty


def brier_decomposition(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> BrierDecomposition:
    """CORP decomposition of the Brier score (Dimitriadis, Gneiting and Jordan, 2021).

    The probabilities are recalibrated by isotonic regression on the same rows, which needs no
    bins. The regression is fitted to the rows on which it is judged. In a small sample it
    therefore finds some miscalibration even where there is none.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Returns
    -------
    BrierDecomposition

    Examples
    --------
    >>> parts = brier_decomposition([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> round(parts.miscalibration, 3), parts.discrimination, parts.uncertainty
    (0.06, 0.125, 0.25)
    """
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    recalibrated = brier(_recalibrated(table))
    uncertainty = table.base_rate * (1.0 - table.base_rate)
    return BrierDecomposition(
        miscalibration=brier(table) - recalibrated,
        discrimination=uncertainty - recalibrated,
        uncertainty=uncertainty,
    )


def _recalibrated(table: ScoreTable) -> ScoreTable:
    """Replace each probability by its isotonic fit. Fitted values can repeat."""
    knots = kernels.isotonic(*table.columns)
    fitted = kernels.interpolate(table.scores, *knots)
    return DerivedTable(fitted, table.negatives, table.positives)
