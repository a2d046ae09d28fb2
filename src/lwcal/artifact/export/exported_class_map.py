"""The map of more than two classes to export, with all that an export needs to know."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.arrays import FloatArray
from lwcal.class_maps import ClassMap
from lwcal.rows.scales import PROBABILITY


class ExportedClassMap(NamedTuple):
    """A map from the probabilities of all classes to calibrated ones.

    Parameters
    ----------
    map : ClassMap
    classes : tuple
        The class of each column.
    tolerance : float
        How far outside [0, 1] a score may lie. Such scores are clipped to [0, 1].
    off_by : float or None
        How far from 1 the sum of a row may be. None: a classifier gives any sum, and a row of
        zeros makes all classes equally probable.
    description : tuple of str
        Lines that describe where the map comes from.
    """

    map: ClassMap
    classes: tuple[Any, ...]
    tolerance: float
    off_by: float | None
    description: tuple[str, ...]

    @property
    def scale(self) -> str:
        """Scores of several classes are probabilities."""
        return PROBABILITY

    def predict(self, scores: FloatArray) -> FloatArray:
        """Map rows of scores in [0, 1], whose sums are allowed."""
        from lwcal.classifier.scores import whole_rows

        return self.map.apply_unchecked(whole_rows(scores))
