"""Calibrators by segment, of which most are that of all rows with other odds."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray, IndexArray
from lwcal.calibrators import Calibrator
from lwcal.errors import SegmentWarning
from lwcal.estimates import Estimate
from lwcal.maps import OddsMap
from lwcal.rows import ArrayLike, as_scores, check_same_length
from lwcal.segments.naming import misspelled, names_of_rows, new_names, no_known_name
from lwcal.shift.adjusting import base_rates_of
from lwcal.shift.known import with_base_rates

MANY_ROWS = 10
"""So many rows are rarely all in new segments."""


@dataclass(frozen=True)
class Segment:
    """The calibrator of one segment.

    Attributes
    ----------
    calibrator : Calibrator
    n : float
        Number of rows in the segment, or their weight.
    odds_ratio : Estimate
        Odds of the positive class, compared with those of all rows at equal scores; with its
        90% credible interval.
    own_share : float
        Share of the segment's own rows in its odds ratio. The rest comes from all segments.
    has_own_curve : bool
        Whether the segment has a curve of its own, not only odds of its own.
    """

    calibrator: Calibrator
    n: float
    odds_ratio: Estimate
    own_share: float
    has_own_curve: bool


@dataclass(frozen=True, eq=False)
class Segments:
    """Calibrators by segment.

    Attributes
    ----------
    pooled : Calibrator
        Fitted to all rows; used for segments that were not in the fit.
    names : list
        Names of the segments, the largest first.
    n : float64 array
        Rows, or weight, of each segment.
    odds_ratios : float64 array of three columns
        Odds ratio of each segment, and the ends of its 90% credible interval.
    own_shares : float64 array
        Share of each segment's own rows in its odds ratio.
    spread : Estimate
        Standard deviation of the log-odds between segments at equal scores.
    curves : dict
        Calibrators of the segments that have a curve of their own.
    columns : list of str or None
        Columns of the segments; None if they were not told.
    """

    pooled: Calibrator
    names: list[Any]
    n: FloatArray
    odds_ratios: FloatArray
    own_shares: FloatArray
    spread: Estimate
    curves: dict[Any, Calibrator] = field(default_factory=dict)
    columns: list[str] | None = None

    @property
    def segments(self) -> Mapping[Any, Segment]:
        """A :class:`Segment` for each name, made when it is asked for: there can be many."""
        return _ByName(self)

    @cached_property
    def places(self) -> dict[Any, int]:
        """Place of each segment among the names."""
        return {name: place for place, name in enumerate(self.names)}

    @property
    def width(self) -> int:
        """Number of columns that define a segment."""
        return len(self.names[0]) if isinstance(self.names[0], tuple) else 1

    def calibrator_of(self, name: Any) -> Calibrator:
        """The calibrator of a segment; that of all rows if the segment was not in the fit."""
        if name in self.curves:
            return self.curves[name]
        place = self.places.get(name)
        if place is None:
            return self.pooled
        return with_odds(self.pooled, float(self.odds_ratios[place, 0]))

    def scale_of(self, scale: str | None = None, option: str = "scale") -> str:
        """Scale on which new scores are read: the given one, or else that of the fit."""
        return self.pooled.scale_of(scale, option)

    def predict(self, scores: ArrayLike, segments: ArrayLike) -> FloatArray:
        """Calibrate each score, on the scale of the fit, with the calibrator of its segment.

        Missing segments, such as NaN, are the segment None. Segments that were not in the fit get
        the calibrator of all rows. There is a warning if all of many rows do, or if a new name
        looks like one of the fit.

        Parameters
        ----------
        scores : one-dimensional
        segments : one-dimensional, or a frame or array of several columns
            Name of the segment of each row, in the type of the fit. If several columns define a
            segment: tuples; a frame with these columns, which are found by their names if
            ``columns`` is known; or an array, in their order.

        Raises
        ------
        InputError
            If a frame or an array has other columns than the fit, or other rows than the scores.

        Warns
        -----
        SegmentWarning
            If none of ten rows or more with a value is in a segment of the fit, or if a name that
            was not in the fit differs from one of the fit only in its type, case, blanks, or zeros
            of a number: ``"4.0"`` and ``"4"``.
        """
        checked = as_scores(scores, scale=self.pooled.scale_of())
        keys = names_of_rows(segments, self.columns, self.width)
        check_same_length(len(checked), len(keys), "segments")
        places = np.array([self.places.get(key, -1) for key in keys], dtype=np.intp)
        doubt = self._doubt(keys, places)
        if doubt:
            warnings.warn(doubt, SegmentWarning, stacklevel=2)
        return self.predict_places(checked, places)

    def _doubt(self, keys: list[Any], places: IndexArray) -> str | None:
        """Why rows of new segments may be misspelled; None if nothing speaks for it."""
        unknown = places < 0
        if not unknown.any():
            return None
        counts = Counter(compress(keys, unknown.tolist()))
        new = new_names(counts, (self.names[place] for place in np.unique(places[~unknown])))
        rows = sum(counts[name] for name in new.names)
        if new.none_met and rows >= MANY_ROWS:
            found = no_known_name(new.names, self.names)
            start = f"None of {rows:,} rows is in a segment of the fit, so all get"
            if rows < len(keys):
                start = f"None of {rows:,} rows with a value is in a segment of the fit; they get"
        else:
            alike = misspelled(new.names, self.names)
            if alike is None:
                return None
            found, verb = alike, "row is" if rows == 1 else "rows are"
            start = f"{rows:,} {verb} in segments that were not in the fit, and get"
        return (
            f"{start} the calibrator of all rows: {found}. Names need the spelling and the type "
            "of the fit."
        )

    def predict_places(self, scores: FloatArray, places: IndexArray) -> FloatArray:
        """Calibrate checked scores; -1 is the place of a segment that was not in the fit."""
        probabilities = self.pooled.map_.apply_unchecked(scores)
        known = places >= 0
        with np.errstate(divide="ignore", over="ignore"):  # as in OddsMap, to the last bit
            against = (1.0 / self.odds_ratios[:, 0])[places[known]]
            odds_against = 1.0 / probabilities[known] - 1.0
            probabilities[known] = 1.0 / (1.0 + odds_against * against)
        for name, calibrator in self.curves.items():
            rows = places == self.places[name]
            if rows.any():
                probabilities[rows] = calibrator.map_.apply_unchecked(scores[rows])
        return probabilities


class _ByName(Mapping[Any, Segment]):
    """The segments by their names."""

    def __init__(self, fitted: Segments) -> None:
        self._fitted = fitted

    def __getitem__(self, name: Any) -> Segment:
        fitted = self._fitted
        place = fitted.places[name]
        return Segment(
            fitted.calibrator_of(name),
            float(fitted.n[place]),
            Estimate(*fitted.odds_ratios[place].tolist()),
            float(fitted.own_shares[place]),
            name in fitted.curves,
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fitted.names)

    def __len__(self) -> int:
        return len(self._fitted.names)


def with_odds(pooled: Calibrator, factor: float) -> Calibrator:
    """A copy of a calibrator in which the odds of every score are multiplied by a number.

    >>> from lwcal import Isotonic
    >>> pooled = Isotonic().fit([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    >>> with_odds(pooled, 3.0).predict([0.5])
    array([0.75])
    """
    before = base_rates_of(pooled)
    negative, positive = before[0], before[1] * factor
    after = negative / (negative + positive), positive / (negative + positive)
    # where every probability is 0 or 1, no factor changes anything
    found = (
        with_base_rates(pooled, Adjustment("segment", before, after))
        if min(before) > 0.0
        else copy(pooled)
    )
    found.map_ = OddsMap(factor, pooled.map_)  # for every kind of map, as predict computes it
    return found
