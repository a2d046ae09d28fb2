"""Labels of any kind, met batch by batch: numbered as they come, understood at the end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError, message
from lwcal.inputs import OBVIOUS_POSITIVE, as_labels, is_missing, spell
from lwcal.reduction.numbers import MISSING_WORDS, is_arrow

MOST_CLASSES = 1000
"""With more distinct labels than this the column holds something else."""
CodeArray = npt.NDArray[np.int16]
MISSING = -1


class Meaning(NamedTuple):
    """What each class stands for: 0 or 1; classes that are absent here cannot be used."""

    codes: dict[int, int]
    missing: list[int]
    others: list[int]


class Classes:
    """Distinct labels in the order they were met, with how many rows have each.

    >>> classes = Classes()
    >>> classes.encode(np.array(["no", "yes", None], dtype=object), begin=0)
    array([ 2,  3, -1], dtype=int16)
    >>> classes.meaning(None, name="column 'y'").codes
    {2: 0, 3: 1}
    """

    def __init__(self) -> None:
        # numbers are mostly 0 and 1, which then are their own codes
        self.values: list[Any] = [0, 1]
        self.counts = np.zeros(MOST_CLASSES, dtype=np.int64)
        self.first_rows = np.full(MOST_CLASSES, -1, dtype=np.int64)
        self._places: dict[Any, int] = {0: 0, 1: 1}

    def encode(self, column: Any, begin: int) -> CodeArray | npt.NDArray[np.uint8]:
        """Number of each row's class, or MISSING; the batch begins with this row."""
        values = _plain(column)
        if isinstance(values, tuple):  # codes of their own, and what they stand for
            places = np.array([*map(self._place, values[1]), MISSING], dtype=np.int16)
            codes = places[values[0]]
        elif values.dtype.kind in "iufb":
            codes = self._encode_numbers(values)
        else:
            missing = is_missing(values)
            listed = values.tolist()
            codes = np.fromiter(
                (
                    MISSING if gone else self._place(value)
                    for value, gone in zip(listed, missing, strict=True)
                ),
                dtype=np.int16,
                count=len(values),
            )
        self._count(codes, begin)
        return codes

    def _encode_numbers(self, values: npt.NDArray[Any]) -> Any:
        if values.dtype.kind == "b":
            return values.view(np.uint8)
        if values.dtype.kind in "iu" and len(values) and np.bitwise_or.reduce(values) in (0, 1):
            return values.astype(np.uint8)  # the usual case: one pass
        codes = np.full(len(values), MISSING, dtype=np.int16)
        unknown = np.ones(len(values), dtype=np.bool_)
        for place, value in enumerate(self.values[:8]):
            if not isinstance(value, str):
                same = np.asarray(values == value)
                codes[same] = place
                unknown &= ~same
        unknown &= ~is_missing(values)
        for value in np.unique(values[unknown]).tolist():
            codes[values == value] = self._place(value)
        return codes

    def _place(self, value: Any) -> int:
        try:
            place = self._places.get(value)
        except TypeError:  # lists and the like
            value = repr(value)
            place = self._places.get(value)
        if place is None:
            place = len(self.values)
            if place >= MOST_CLASSES:
                got = f"more than {MOST_CLASSES - 2:,} distinct values"
                hint = "for numbers, threshold them first; or check the column's name"
                raise InputError(message("labels of two classes", got, hint))
            self._places[value] = place
            self.values.append(value)
        return place

    def _count(self, codes: Any, begin: int) -> None:
        if codes.dtype == np.uint8:  # all are 0 or 1
            ones = int(np.count_nonzero(codes))
            self.counts[:2] += (len(codes) - ones, ones)
            return
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        for place, row, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True):
            if place != MISSING:
                self.counts[place] += count
                if self.first_rows[place] < 0:
                    self.first_rows[place] = begin + row

    def add(self, value: Any, count: int) -> None:
        """Count rows of a class that were counted elsewhere, where they have no numbers."""
        self.counts[self._place(value)] += count

    def meaning(self, pos_label: Any, *, name: str, text: bool = False) -> Meaning:
        """Tell which classes are positive and negative, from all that were met.

        With ``text`` the labels were read from a text file, and may be numbers: 1 is 1.0.
        When there are more than two, an obvious pair (0/1, no/yes) that most rows have leaves the
        others unused.
        """
        met = {place: self.values[place] for place in np.flatnonzero(self.counts).tolist()}
        missing: list[int] = []
        if text:
            met, missing = _interpreted(met)
            pos_label = _as_number(pos_label) if _all_numbers(met.values()) else pos_label
        values = list(dict.fromkeys(met.values()))
        pair = values if len(values) <= 2 else self._usual(met) or values
        if not pair:
            return Meaning({}, missing, [])
        codes = as_labels(_array(pair), pos_label=pos_label, name=name)
        known = dict(zip(pair, codes.tolist(), strict=True))
        return Meaning(
            {place: known[value] for place, value in met.items() if value in known},
            missing,
            [place for place, value in met.items() if value not in known],
        )

    def _usual(self, met: dict[int, Any]) -> list[Any] | None:
        """An obvious pair of classes that at least half of the rows have."""
        pair = _obvious(list(met.values()))
        places = [place for place, value in met.items() if pair and value in pair]
        rows = int(self.counts[places].sum())
        return pair if 2 * rows >= int(self.counts[list(met)].sum()) else None


def _plain(column: Any) -> Any:
    """A numpy array; or, of text in Arrow's memory, codes and the values they stand for."""
    if not is_arrow(column):
        return np.asarray(column)
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string_view(kind):
        column = column.cast(pa.string())
    elif pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_boolean(kind):
        column = column.cast(pa.uint8())
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column = column.dictionary_encode()
    if pa.types.is_dictionary(column.type):
        if hasattr(column, "combine_chunks"):  # chunks have dictionaries of their own
            column = column.combine_chunks()
        codes = column.indices.fill_null(len(column.dictionary))
        return codes.to_numpy(zero_copy_only=False), column.dictionary.to_pylist()
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _interpreted(met: dict[int, Any]) -> tuple[dict[int, Any], list[int]]:
    """Turn text into numbers where all of it is, but for words that mean: nothing."""
    missing = [p for p, value in met.items() if str(value).strip() in MISSING_WORDS]
    rest = {place: _as_number(value) for place, value in met.items() if place not in missing}
    return (rest, missing) if _all_numbers(rest.values()) else (met, [])


def _as_number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _all_numbers(values: Any) -> bool:
    return not any(isinstance(value, str) for value in values)


def _obvious(values: list[Any]) -> list[Any] | None:
    spelling = {spell(value): value for value in values}
    for pair in OBVIOUS_POSITIVE:
        if pair <= set(spelling):
            return [spelling[word] for word in sorted(pair)]
    return None


def _array(values: list[Any]) -> npt.NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind in "iufb":
        return array
    kept = np.empty(len(values), dtype=object)
    kept[:] = values
    return kept
