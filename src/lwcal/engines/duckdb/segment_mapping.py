"""A column of scores that meets the calibrator of each row's segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.engines.duckdb.mapping import ScoreColumn
from lwcal.errors import InputError
from lwcal.rows.groups import encode
from lwcal.segments.naming import COMPARED, NewNames, misspelled, new_names, no_known_name

if TYPE_CHECKING:
    from lwcal.segments import Segments  # its import brings scikit-learn


class SegmentColumns(ScoreColumn):
    """Scores of two classes, and the columns that name the segment of each row.

    Parameters
    ----------
    fitted : Segments
    name : str
        Column of scores.
    scale : str or None
        Their scale, if it is not that of the fit.
    segment : sequence of str
        Columns of the segments.
    """

    def __init__(
        self, fitted: Segments, name: str, scale: str | None, segment: Sequence[str]
    ) -> None:
        super().__init__(fitted.pooled.score_map(), name, scale)
        self._segments = fitted
        self._columns = segment
        self._places = {_spelled(key): place for key, place in fitted.places.items()}
        self._known: set[int] = set()
        self._unknown: dict[Any, None] = {}
        self._unknown_rows = 0

    def calibrated(self, scores: FloatArray, batch: Any) -> list[FloatArray]:
        """The new column."""
        places = self._places_of(batch)
        self._unknown_rows += int((places < 0).sum())
        return [self._segments.predict_places(scores, places)]

    def refuse_doubtful(self, invalid: Any) -> None:
        """Refuse rows of which none is in a segment of the fit, if a name is nearly one of it.

        That is a mistake of types or spelling, which turns a file of all segments into one of none.
        """
        super().refuse_doubtful(invalid)
        found = misspelled(self._unknown, self._segments.names)
        if found and self._none_met().none_met:
            columns = ", ".join(self._columns)
            rows = "row with a value" if self._known else "row"
            raise InputError(
                f"No {rows} is in a segment of the fit: {found} in {columns}. Names are compared "
                "as text. Check their spelling and the column of segments."
            )

    def _none_met(self) -> NewNames:
        names = self._segments.names
        return new_names(self._unknown, (names[place] for place in self._known))

    def other_segments(self) -> str:
        """Say what happened to rows of segments that were not in the fit; empty without any."""
        if not self._unknown_rows:
            return ""
        verb = "row is" if self._unknown_rows == 1 else "rows are"
        rows = f"{self._unknown_rows:,} {verb} in segments that were not in"
        new, names = self._none_met(), self._segments.names
        if new.none_met:
            found: str | None = no_known_name(new.names, names)
            start = f"No row is in a segment of the fit; {rows} it"
        else:
            found, start = misspelled(self._unknown, names), f"{rows} the fit"
        return (
            f"{start}: the calibrator is that of all rows."
            f"{f' Check the spelling: {found}.' if found else ''}"
        )

    def _places_of(self, batch: Any) -> IndexArray:
        """Place of each row's segment; -1 if it was not in the fit."""
        codes = np.zeros(batch.num_rows, dtype=np.int64)
        values: list[tuple[Any, ...]] = [()]
        for name in self._columns:
            own, listed = encode(batch.column(name))
            pairs, codes = np.unique(codes * len(listed) + own, return_inverse=True)
            values = [
                (*values[pair // len(listed)], listed[pair % len(listed)])
                for pair in pairs.tolist()
            ]
        places = [self._places.get(_spelled(value), -1) for value in values]
        self._known |= {place for place in places if place >= 0}
        if len(self._unknown) < COMPARED:
            names = (one for one, place in zip(values, places, strict=True) if place < 0)
            self._unknown |= dict.fromkeys(one if len(one) > 1 else one[0] for one in names)
        return np.array(places, dtype=np.intp)[codes]


def _spelled(key: Any) -> tuple[str | None, ...]:
    """A segment as text: a number of a Parquet file is a word in a CSV file.

    >>> _spelled(("NL", 7)), _spelled(7.0), _spelled(True), _spelled(None)
    (('NL', '7'), ('7',), ('true',), (None,))
    """
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(map(_spelled_part, parts))


def _spelled_part(part: Any) -> str | None:
    if part is None:
        return None
    if isinstance(part, bool):
        return str(part).lower()
    if isinstance(part, float) and part.is_integer():
        return str(int(part))
    return str(part)
