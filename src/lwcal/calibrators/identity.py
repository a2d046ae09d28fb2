"""Identity: the raw score, as a calibrator."""

from typing import Any

from lwcal.calibrators.base import Calibrator, Fitted
from lwcal.maps import IdentityMap
from lwcal.table import ScoreTable


class Identity(Calibrator):
    """Keep the raw score: the baseline that every calibrator must beat.

    Parameters
    ----------
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> Identity().fit([0.2, 0.8], [0, 1]).predict([0.3])
    array([0.3])
    """

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        return Fitted(IdentityMap(), {})
