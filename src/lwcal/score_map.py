"""What applying a calibrator takes: its map, the scale of its scores, and what these were like.

A saved calibrator can be applied without scikit-learn, which takes longer to import than most
files take to be written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.class_maps import ClassMap
from lwcal.errors import InputError, ParameterError, message
from lwcal.maps import Map
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.scales import PROBABILITY, SCALES

if TYPE_CHECKING:
    from lwcal.reference import Reference  # its import brings the tables

ONE_PERCENT = 0.01
ONE_COLUMN = "The calibrator was fitted to one column of scores; pass one column."


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """The part of a fitted calibrator that new scores meet.

    Attributes
    ----------
    map : Map
        From probabilities to calibrated probabilities.
    scale : {"probability", "percent", "logit"}
        Scale of the scores of the fit.
    reference : Reference or None
        Histogram of the rows of the fit, if it is known.
    """

    map: Map
    scale: str = PROBABILITY
    reference: Reference | None = None

    def score_map(self) -> ScoreMap:
        """Itself."""
        return self

    def scale_of(self, scale: str | None = None, option: str = "scale") -> str:
        """Scale on which new scores are read; see :func:`chosen_scale`."""
        return chosen_scale(scale, self.scale, option)

    def doubtful_percents(self, highest: float, name: str) -> str:
        """Say that new scores are probably probabilities, where percents are expected.

        Parameters
        ----------
        highest : float
            The highest new score, as a probability.
        name : str
            What messages call the scores.

        Returns
        -------
        str
            Empty if there is no doubt. Without earlier scores there is none.
        """
        if self.reference is None or highest > ONE_PERCENT:
            return ""
        weight = self.reference.negatives + self.reference.positives
        above = float(weight[self.reference.scores > ONE_PERCENT].sum() / weight.sum())
        if above <= 0.5:
            return ""
        return (
            f"All {name} are at most 1. The calibrator was fitted to percents, {above:.0%} of them "
            "above 1. Are these probabilities? Name their scale with --score-scale probability or "
            "percent (scale=)."
        )

    def refuse_probabilities(self, highest: float, column: str) -> None:
        """Refuse a column that is probably one of probabilities, where percents are expected."""
        doubt = self.doubtful_percents(highest, f"scores in column {column!r}")
        if doubt:
            raise InputError(doubt)


@dataclass(frozen=True, eq=False)
class ClassScoreMap:
    """The part of a fitted calibrator that new probabilities of all classes meet.

    Attributes
    ----------
    map : ClassMap or Map
        With two classes, a map of the scores of the second one.
    classes : tuple
        Class of each column.
    """

    map: ClassMap | Map
    classes: tuple[Any, ...]

    def class_score_map(self) -> ClassScoreMap:
        """Itself."""
        return self

    def apply_unchecked(self, scores: FloatArray) -> FloatArray:
        """Map rows that sum to 1. The caller has checked them.

        >>> from lwcal.maps import SigmoidMap
        >>> both = ClassScoreMap(SigmoidMap(0.0, 0.0), ("a", "b"))
        >>> both.apply_unchecked(np.array([[0.9, 0.1]]))
        array([[0.5, 0.5]])
        """
        if isinstance(self.map, ClassMap):
            return self.map.apply_unchecked(scores)
        positive = self.map.apply_unchecked(np.ascontiguousarray(scores[:, 1]))
        return np.column_stack([1.0 - positive, positive])


class HasClassScoreMap(Protocol):
    """A calibrator that was fitted to class probabilities, or the part of it that they meet."""

    def class_score_map(self) -> ClassScoreMap:
        """What new class probabilities meet."""


def as_class_score_map(given: Any) -> ClassScoreMap:
    """Refuse what takes no class probabilities.

    >>> from lwcal.maps import IdentityMap
    >>> as_class_score_map(ScoreMap(IdentityMap()))
    Traceback (most recent call last):
    lwcal.errors.InputError: The calibrator was fitted to one column of scores; pass one column.
    """
    if hasattr(given, "class_score_map"):
        return cast("HasClassScoreMap", given).class_score_map()
    if hasattr(given, "score_map"):
        raise InputError(ONE_COLUMN)
    got = type(given).__name__
    raise ParameterError(message("a calibrator that was fitted to class probabilities", got))


class HasScoreMap(Protocol):
    """A fitted calibrator, or the part of it that new scores meet."""

    def score_map(self) -> ScoreMap:
        """What new scores meet."""


def as_score_map(given: HasScoreMap | Map) -> ScoreMap:
    """Take a map alone for one of probabilities.

    >>> from lwcal.maps import IdentityMap
    >>> as_score_map(IdentityMap()).scale
    'probability'
    """
    if isinstance(given, Map):
        return ScoreMap(given)
    if not hasattr(given, "score_map"):
        got = type(given).__name__
        raise ParameterError(message("a fitted calibrator, or its map", got))
    return given.score_map()


def chosen_scale(given: str | None, known: str, option: str = "scale") -> str:
    """Scale on which new scores are read: the given one, or else that of the fit.

    New scores never decide their scale themselves. A few percents below 1 would pass for
    probabilities.

    Parameters
    ----------
    given : str, optional
    known : str
        Scale of the fit.
    option : str
        The parameter, as messages call it.
    """
    if given is None:
        return known
    check_parameter(option, given, OneOf(SCALES))
    return given
