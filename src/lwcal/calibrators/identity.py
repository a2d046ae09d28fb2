"""Identity: the raw score, as a calibrator."""

from typing import Any, ClassVar

from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import ClassCalibrator, FittedClasses
from lwcal.class_maps import ClassIdentityMap
from lwcal.maps import IdentityMap
from lwcal.multiclass.class_rows import ClassRows
from lwcal.table import ScoreTable


class Identity(ClassCalibrator):
    """Keep the raw score: the baseline that every calibrator must beat.

    Scores have the shape (n,), those of the positive class, or (n, K), those of all classes.

    Parameters
    ----------
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> Identity().fit([0.2, 0.8], [0, 1]).predict([0.3])
    array([0.3])
    """

    calibrates_classes_apart: ClassVar[bool] = True  # maps of one class can be exported

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def _fit(self, table: ScoreTable) -> Fitted:
        return Fitted(IdentityMap(), {})

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        return FittedClasses(ClassIdentityMap(rows.n_classes), {})
