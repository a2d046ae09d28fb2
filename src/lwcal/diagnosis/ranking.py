"""How the scores rank the labels: well, the wrong way, or suspiciously well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from lwcal.estimates import Estimate
from lwcal.metrics.discrimination import auc
from lwcal.table import ScoreTable

NEXT_TO_NOTHING = 0.55
"""Area from 1/2 to which a score is of no use; and as far below 1/2."""
NEARLY_PERFECT = 0.995
UNRELATED = 0.01
"""Share of tables with labels of other rows that may pass as ranked."""


@dataclass(frozen=True)
class Ranking:
    """The area under the ROC curve by the labels as they are.

    Attributes
    ----------
    auc : Estimate
    surely : Estimate
        The same area with a wider interval, by which scores rank at all.
    is_constant : bool
        Whether every row has the same score.
    """

    auc: Estimate
    surely: Estimate
    is_constant: bool = False

    @property
    def is_reversed(self) -> bool:
        """Whether positive rows surely have the lower scores; noise cannot do that."""
        return self.auc.high < 0.5 and not self.is_idle

    @property
    def is_idle(self) -> bool:
        """Whether the scores surely say next to nothing about the labels."""
        return self.auc.low > 1.0 - NEXT_TO_NOTHING and self.auc.high < NEXT_TO_NOTHING

    @property
    def is_doubtful(self) -> bool:
        """Whether the scores may say nothing at all about the labels, as if of other rows."""
        return self.surely.low <= 0.5

    @property
    def is_nearly_perfect(self) -> bool:
        """Whether hardly any model ranks rows as well that it was not trained on."""
        return self.auc.value > NEARLY_PERFECT

    @property
    def is_perfect(self) -> bool:
        """Whether every positive row scores above every negative row."""
        return self.auc.value == 1.0

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "auc": self.auc.to_dict(),
            "reversed": self.is_reversed,
            "idle": self.is_idle,
            "doubtful": self.is_doubtful,
            "perfect": self.is_perfect,
            "constant": self.is_constant,
        }


def rank(table: ScoreTable, *, confidence: float = 0.9) -> Ranking:
    """Find the area under the ROC curve, with the interval of Hanley and McNeil (1982).

    Examples
    --------
    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[10, 30], positives=[30, 10])
    >>> rank(table).is_reversed
    True
    """
    area = auc(table)
    of_two_positives, of_two_negatives = area / (2.0 - area), 2.0 * area**2 / (1.0 + area)
    variance = (
        area * (1.0 - area)
        + max(table.n_positive - 1.0, 0.0) * (of_two_positives - area**2)
        + max(table.n_negative - 1.0, 0.0) * (of_two_negatives - area**2)
    ) / (table.n_positive * table.n_negative)
    error = float(np.sqrt(max(variance, 0.0)))

    def within(level: float) -> Estimate:
        reach = float(ndtri(0.5 + level / 2)) * error
        return Estimate(area, max(area - reach, 0.0), min(area + reach, 1.0))

    surely = within(max(confidence, 1.0 - 2.0 * UNRELATED))
    return Ranking(within(confidence), surely, is_constant=len(table) == 1)
