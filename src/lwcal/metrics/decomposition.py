"""The Brier score in parts: calibration, discrimination, and what no model could help."""

from dataclasses import dataclass
from typing import Any

from lwcal import kernels
from lwcal.metrics._table import pooled
from lwcal.metrics.proper import brier_of
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable


@dataclass(frozen=True)
class BrierDecomposition:
    """Parts of a Brier score: ``brier = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    miscalibration : float
        What the best monotone recalibration on the same rows would gain; 0 is best.
    discrimination : float
        What the recalibrated probabilities gain over predicting the base rate.
    uncertainty : float
        Brier score of the base rate.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def brier(self) -> float:
        """The score that the parts add up to."""
        return self.miscalibration - self.discrimination + self.uncertainty


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> BrierDecomposition:
    """CORP decomposition of the Brier score (Dimitriadis, Gneiting and Jordan, 2021).

    The probabilities are recalibrated by isotonic regression on the same rows, which needs
    no bins. Fitting the rows it is judged on, it finds some miscalibration in any small sample.

    Parameters
    ----------
    y_true, y_prob, sample_weight, pos_label
        As in :func:`brier`.

    Examples
    --------
    >>> parts = brier_decomposition([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> round(parts.miscalibration, 3), parts.discrimination, parts.uncertainty
    (0.06, 0.125, 0.25)
    """
    return brier_decomposition_of(pooled(y_true, y_prob, sample_weight, pos_label))


def brier_decomposition_of(table: ScoreTable) -> BrierDecomposition:
    """CORP decomposition of a table."""
    recalibrated = brier_of(_recalibrated(table))
    uncertainty = table.base_rate * (1.0 - table.base_rate)
    return BrierDecomposition(
        miscalibration=brier_of(table) - recalibrated,
        discrimination=uncertainty - recalibrated,
        uncertainty=uncertainty,
    )


def _recalibrated(table: ScoreTable) -> ScoreTable:
    """Rows with the isotonic fit in place of their probability, which may then repeat."""
    knots = kernels.isotonic(table.scores, table.negatives, table.positives)
    fitted = kernels.interpolate(table.scores, *knots)
    return ScoreTable._trusted(fitted, table.negatives, table.positives)
