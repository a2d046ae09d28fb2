"""Classes of labels: which labels are the same class, and which class is positive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, LabelArray
from lwcal.errors import InputError
from lwcal.rows.fault_kinds import FOR_MORE, MISSING_LABEL, Fault, other_class
from lwcal.rows.faults import InvalidRows, RowNumbers, row_number
from lwcal.rows.values import Column, is_arrow, is_missing_value, is_text

NEGATIVE_OF = {
    "1": ("0", "-1"),
    "yes": ("no",),
    "y": ("n",),
    "t": ("f",),
    "pos": ("neg",),
    "positive": ("negative",),
}
"""Positive classes that need no explanation, with what the negative one is called beside them."""
OBVIOUS_PAIRS = tuple(
    (negative, positive) for positive, names in NEGATIVE_OF.items() for negative in names
)
OBVIOUS_KEYS = frozenset(key for pair in OBVIOUS_PAIRS for key in pair)
TRUTH_KEYS = {"true": "1", "false": "0"}
MOST_CLASSES = 1000
"""A column with more distinct values than this does not hold labels."""
MISSING = -1
"""Place of a missing label."""
CodeArray = npt.NDArray[np.int16] | LabelArray


def class_key(value: Any) -> str:
    """Spell a label so that equal classes have equal keys.

    Upper and lower case and surrounding blanks do not matter, nor whether an accent is part of its
    letter or a character of its own. Numbers and booleans are the same class as their text.

    >>> [class_key(value) for value in (" Yes", "YES", 1, 1.0, "1.0", True, "true", "-1")]
    ['yes', 'yes', '1', '1', '1', '1', '1', '-1']
    >>> class_key("caf\u00e9") == class_key("cafe\u0301")
    True
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    text = folded(str(value).strip())
    return TRUTH_KEYS.get(text) or _number_key(text) or text


def folded(text: str) -> str:
    """Write the text without upper case, and accented letters as one character."""
    return text.casefold() if text.isascii() else normalize("NFC", text.casefold())


def _number_key(text: str) -> str | None:
    if "_" in text:  # Python reads 1_0 as 10, and nothing else does
        return None
    for kind in (int, float):  # whole numbers stay exact, however long they are
        try:
            number = kind(text)
        except ValueError:
            continue
        if isinstance(number, int) or number.is_integer():
            return str(int(number))
        return repr(number)
    return None


def obvious_pair(keys: Collection[str]) -> tuple[str, str] | None:
    """Find a negative and a positive class whose names explain themselves.

    >>> obvious_pair(["no", "?", "yes"]), obvious_pair(["good", "bad"])
    (('no', 'yes'), None)
    """
    return next((pair for pair in OBVIOUS_PAIRS if set(pair) <= set(keys)), None)


class Candidate(NamedTuple):
    """A class that may be the positive one.

    Attributes
    ----------
    shown : object
        The label as it was first written.
    rows : int
    mean_score : float or None
        Mean score of its rows, if they have scores.
    """

    shown: Any
    rows: int
    mean_score: float | None = None


def positive_key(
    classes: dict[str, Any],
    pos_label: Any,
    name: str,
    candidates: Callable[[], list[Candidate]],
) -> str | None:
    """Key of the positive class among at most two; None when only the negative one occurs.

    Parameters
    ----------
    classes : dict
        Keys, each with the label as it was first written.
    pos_label : object
        The positive class if it was named, else None.
    name : str
        The column, as messages call it.
    candidates : function
        Returns what is known about the classes, to suggest one.
    """
    shown = " and ".join(repr(value) for value in classes.values())
    if pos_label is not None:
        if class_key(pos_label) in classes or len(classes) == 1:
            return class_key(pos_label)
        raise InputError(f"pos_label={pos_label!r} is not a class of {name}, which has {shown}.")
    for negative, positive in OBVIOUS_PAIRS:  # part of the data may lack a class
        if set(classes) <= {negative, positive}:
            return positive
    if len(classes) == 1:
        raise InputError(
            f"{name} has the class {shown} only, and it is not clear which one is positive. Name "
            "it with pos_label (--pos-label). If empty labels mean the other class, write it, "
            "such as 'no'."
        )
    raise InputError(
        f"{name} has the classes {shown}, and it is not clear which one is positive. "
        f"{suggestion(candidates())}"
    )


def suggestion(candidates: list[Candidate]) -> str:
    """Suggest a positive class: the one with the higher scores, or else the rarer one.

    >>> suggestion([Candidate("bad", 5, 0.7), Candidate("good", 3, 0.2)])
    "Name it. High scores go with 'bad' (mean 0.7, against 0.2): pos_label='bad' (--pos-label bad)."
    >>> suggestion([Candidate("bad", 5), Candidate("good", 20)])
    "Name it. 'bad' is rarer (5 of 25 rows): pos_label='bad' (--pos-label bad)."
    >>> suggestion([Candidate("a", 5), Candidate("b", 5)])
    "Name it: pos_label='a' (--pos-label a) or pos_label='b' (--pos-label b)."
    >>> suggestion([Candidate("good", 20)])
    'Name it with pos_label (--pos-label).'
    """
    if len(candidates) == 2:
        one, other = candidates
        if one.mean_score is not None and other.mean_score is not None:
            low, high = sorted(candidates, key=lambda candidate: candidate.mean_score or 0.0)
            means = f"mean {high.mean_score:.3g}, against {low.mean_score:.3g}"
            if high.mean_score != low.mean_score:
                return f"Name it. High scores go with {high.shown!r} ({means}): {_named(high)}."
        if one.rows != other.rows:
            rare = min(candidates, key=lambda candidate: candidate.rows)
            share = f"{rare.rows:,} of {one.rows + other.rows:,} rows"
            return f"Name it. {rare.shown!r} is rarer ({share}): {_named(rare)}."
        return f"Name it: {_named(one)} or {_named(other)}."
    return "Name it with pos_label (--pos-label)."


def _named(candidate: Candidate) -> str:
    return f"pos_label={candidate.shown!r} (--pos-label {candidate.shown})"


def too_many_classes(name: str, found: str) -> InputError:
    """Word the error about labels that have more than two classes."""
    return InputError(
        f"{name} has {found}; with one column of scores, labels must have two classes. "
        f"{FOR_MORE} For numbers, apply a threshold first."
    )


def find_missing(
    codes: CodeArray,
    first_row: RowNumbers,
    name: str,
    invalid: InvalidRows,
    bad: BoolArray | None = None,
) -> BoolArray | None:
    """Count missing labels; return which rows are invalid: those before, and these."""
    if codes.dtype == np.uint8:
        return bad
    missing = np.asarray(codes == MISSING)
    if not missing.any():
        return bad
    nothing = np.full(len(codes), None, dtype=object)
    # a row that was invalid before is not counted again
    new = missing if bad is None else missing & ~bad
    invalid.find(new, nothing, first_row, name, MISSING_LABEL)
    return missing if bad is None else missing | bad


class Meaning(NamedTuple):
    """The two classes.

    Attributes
    ----------
    codes : dict
        0 or 1 for each class that is used.
    others : list
        Classes that cannot be used.
    """

    codes: dict[int, int]
    others: list[int]


class Classes:
    """Distinct labels in the order in which they were met, and the number of rows of each.

    >>> classes = Classes()
    >>> classes.encode(np.array(["no", "yes", None, "Yes"], dtype=object), first_row=0)
    array([ 2,  3, -1,  3], dtype=int16)
    >>> classes.meaning(None, name="y").codes
    {2: 0, 3: 1}
    """

    def __init__(self) -> None:
        # most labels are the numbers 0 and 1, which then are their own places
        self.keys = ["0", "1"]
        self.counts = np.zeros(MOST_CLASSES, dtype=np.int64)
        self.first_rows = np.full(MOST_CLASSES, -1, dtype=np.int64)
        self.missing = 0
        self._spellings: list[list[Any]] = [[], []]
        self._places: dict[Any, int] = {0: 0, 1: 1}

    def encode(self, column: Column, first_row: RowNumbers) -> CodeArray:
        """Return the place of each row's class, or MISSING; the batch begins with this row."""
        values, dictionary = _plain(column)
        if dictionary is not None:
            places = np.array([*map(self.place, dictionary), MISSING], dtype=np.int16)
            codes: CodeArray = places[values]
        elif values.dtype.kind in "iufb":
            codes = self._encode_numbers(values)
        else:
            codes = self._encode_objects(values.tolist())
        self._count(codes, first_row)
        return codes

    def _encode_numbers(self, values: npt.NDArray[Any]) -> CodeArray:
        if values.dtype.kind == "b":
            return np.asarray(np.ascontiguousarray(values).view(np.uint8))
        if values.dtype.kind in "iu" and len(values) and np.bitwise_or.reduce(values) in (0, 1):
            return values.astype(np.uint8)  # the usual case: one pass
        codes = np.full(len(values), MISSING, dtype=np.int16)
        unknown = values == values  # not NaN
        for value in (0, 1, -1):
            same = values == value
            if same.any():
                codes[same] = self.place(value)
                unknown &= ~same
        for value in np.unique(values[unknown]).tolist():
            codes[values == value] = self.place(value)
        return codes

    def _encode_objects(self, values: list[Any]) -> CodeArray:
        try:
            distinct = dict.fromkeys(values)
        except TypeError:  # lists and the like cannot be keys
            values = list(map(repr, values))
            distinct = dict.fromkeys(values)
        place_of = {value: self.place(value) for value in distinct}
        return np.fromiter((place_of[value] for value in values), np.int16, count=len(values))

    def place(self, value: Any) -> int:
        """Place of the class of a label, or MISSING; a new class is added."""
        place = self._places.get(value)
        if place is None:
            place = MISSING if is_missing_value(value) else self._place_of_key(value)
            self._places[value] = place
        return place

    def _place_of_key(self, value: Any) -> int:
        key = class_key(value)
        if key in self.keys:
            place = self.keys.index(key)
            self._spellings[place].append(value)
            return place
        if len(self.keys) >= MOST_CLASSES:
            raise InputError(
                f"the label column has more than {MOST_CLASSES - 2:,} distinct values, too many "
                "for classes. Check that this is the right column. For numbers, apply a threshold "
                "first."
            )
        self.keys.append(key)
        self._spellings.append([value])
        return len(self.keys) - 1

    def _count(self, codes: CodeArray, first_row: RowNumbers) -> None:
        found, first, counts = _distinct(codes)
        for place, row, count in zip(found, first, counts, strict=True):
            if place == MISSING:
                continue
            self.counts[place] += count
            if self.first_rows[place] < 0:
                self.first_rows[place] = row_number(first_row, row)

    def add(self, value: Any, count: int) -> int:
        """Add rows that were counted elsewhere, where rows have no numbers; return their place."""
        place = self.place(value)
        if place == MISSING:
            self.missing += count
        else:
            self.counts[place] += count
        return place

    def spellings(self, place: int) -> list[Any]:
        """Every way in which this class was written."""
        return self._spellings[place] or [place]  # the numbers 0 and 1

    def shown(self, place: int) -> Any:
        """A label of this class, as it was first written."""
        return self.spellings(place)[0]

    def meaning(
        self,
        pos_label: Any,
        *,
        name: str,
        mean_score: Callable[[int], float | None] = lambda place: None,
    ) -> Meaning:
        """Say which classes are negative and positive, from all that were met.

        When there are more than two, an obvious pair (0/1, no/yes) is used if at least half of
        the rows have it. The other classes are then faults.

        Parameters
        ----------
        pos_label : object
            The positive class if it was named, else None.
        name : str
            The column, as messages call it.
        mean_score : function
            Returns the mean score of the rows of a class, or None if it is not known.
        """
        met = {self.keys[place]: place for place in np.flatnonzero(self.counts).tolist()}
        pair = list(met) if len(met) <= 2 else self._usual_pair(met)
        named = None if pos_label is None else class_key(pos_label)
        if met and (not pair or (named in met and named not in pair)):
            raise too_many_classes(name, self._listed(met.values()))
        classes = {key: self.shown(met[key]) for key in sorted(pair)}

        def candidates() -> list[Candidate]:
            return [
                Candidate(shown, int(self.counts[met[key]]), mean_score(met[key]))
                for key, shown in classes.items()
            ]

        positive = positive_key(classes, pos_label, name, candidates) if classes else None
        codes = {met[key]: int(key == positive) for key in pair}
        return Meaning(codes, [place for place in met.values() if place not in codes])

    def _usual_pair(self, met: dict[str, int]) -> list[str]:
        pair = obvious_pair(met) or ()
        rows = int(self.counts[[met[key] for key in pair]].sum())
        return list(pair) if 2 * rows >= int(self.counts.sum()) else []

    def _listed(self, places: Iterable[int]) -> str:
        values = sorted((self.shown(place) for place in places), key=str)
        shown = ", ".join(map(repr, values[:5])) + (", ..." if len(values) > 5 else "")
        return f"{len(values):,} distinct values ({shown})"


def class_faults(classes: Classes, meaning: Meaning, name: str) -> Iterator[Fault]:
    """Faults of labels that are missing, and of those that are neither of the two classes."""
    if classes.missing:
        yield Fault(name, MISSING_LABEL, classes.missing, None, None)
    pair = " or ".join(repr(classes.shown(place)) for place in sorted(meaning.codes))
    for place in meaning.others:
        first = int(classes.first_rows[place])
        row = None if first < 0 else first
        kind = other_class(pair)
        yield Fault(name, kind, int(classes.counts[place]), row, classes.shown(place))


def _distinct(codes: CodeArray) -> tuple[list[int], list[int], list[int]]:
    """Distinct codes, the first row of each, and their counts."""
    if codes.dtype != np.uint8:
        found, first, number = np.unique(codes, return_index=True, return_counts=True)
        return found.tolist(), first.tolist(), number.tolist()
    ones = int(np.count_nonzero(codes))  # all are 0 or 1, and sorting would take long
    counts = {0: len(codes) - ones, 1: ones}
    places = [place for place, count in counts.items() if count]
    return places, [int(np.argmax(codes == p)) for p in places], [counts[p] for p in places]


def _plain(column: Column) -> tuple[npt.NDArray[Any], list[Any] | None]:
    """A numpy array; or codes, and the values that they stand for."""
    if is_arrow(column):
        column = _cast(column)
        if hasattr(column, "dictionary"):
            codes = column.indices.fill_null(len(column.dictionary))
            return codes.to_numpy(zero_copy_only=False), column.dictionary.to_pylist()
        column = column.to_numpy(zero_copy_only=False)
    array = np.asarray(column)
    return (array.astype(str) if array.dtype.kind in "mM" else array), None


def _cast(column: Column) -> Column:
    """Text as a dictionary; booleans and decimals as numbers."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        return column.cast(pa.float64())
    if pa.types.is_boolean(column.type):
        return column.cast(pa.uint8())
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    return column.dictionary_encode() if is_text(column.type) else column
