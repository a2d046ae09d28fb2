"""Find the class of each column of probabilities by the names of the columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from lwcal.errors import InputError, message
from lwcal.rows.classes import class_key

SHOWN_CLASSES = 5
SAME_CLASS = (
    "labels that differ only in case, in blanks around them or in how a number is written (7, "
    "07, 7.0) are one class. Rename all but one, such as 'c07', in the columns and in the labels"
)
RENAME = (
    "Rename the columns after the classes; or, if their order is right, pass them without names: "
    "frame.to_numpy()"
)


class ClassColumns(NamedTuple):
    """Columns of class probabilities.

    Attributes
    ----------
    names : tuple of str
    readings : tuple of tuples of str
        What the classes may be called. A pattern leaves one reading. A list leaves several: see
        :func:`readings_of`.
    """

    names: tuple[str, ...]
    readings: tuple[tuple[str, ...], ...]

    def classes(self, labels: Iterable[tuple[Any, int]]) -> tuple[Any, ...]:
        """Classes by which most rows have a label that is a class.

        Parameters
        ----------
        labels : pairs of object and int
            Distinct labels, each with its number of rows.

        Examples
        --------
        >>> names = ("p_cat", "p_car")
        >>> ClassColumns(names, readings_of(names)).classes([("car", 3), ("cat", 2)])
        ('cat', 'car')
        """
        counts: dict[str, int] = {}
        for label, rows in labels:
            counts[class_key(label)] = counts.get(class_key(label), 0) + rows

        def labelled(reading: Sequence[str]) -> int:
            return sum(counts.get(key, 0) for key in set(map(class_key, reading)))

        return as_classes(max(self.readings, key=labelled))

    def in_order(self, classes: Sequence[Any]) -> tuple[str, ...]:
        """Columns in the order of these classes, found by their names.

        >>> ClassColumns(("p_b", "p_a"), (("b", "a"),)).in_order(["a", "b"])
        ('p_a', 'p_b')
        """
        places = _places(self.readings, classes)
        if places is None:
            raise InputError(self._mismatch(classes))
        return tuple(self.names[place] for place in places)

    def _mismatch(self, classes: Sequence[Any]) -> str:
        """Name the first class without a column, or the first column without a class."""
        wanted = {class_key(label): label for label in classes}
        reading = nearest(self.readings, wanted)
        found = dict(zip(map(class_key, reading), self.names, strict=True))
        expected = (
            f"one column of scores for each class of the calibrator ({listed_classes(classes)})"
        )
        lacking = [label for key, label in wanted.items() if key not in found]
        if lacking:
            hint = "the names of the columns must tell their classes"
            return message(expected, f"none for the class {lacking[0]!r}", hint)
        extra = [name for key, name in zip(map(class_key, reading), self.names, strict=True)
                 if key not in wanted or found[key] != name]  # fmt: skip
        return message(expected, f"also the column {extra[0]!r}", "name the columns one by one")


def readings_of(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What the classes of columns may be called, the names as they are first.

    What all names begin with may not belong to the class, nor what all end with. An end is cut
    off only where a word begins. A number is never cut in two.

    Examples
    --------
    >>> readings_of(["x1", "x2"])
    (('x1', 'x2'), ('1', '2'))
    >>> readings_of(["cat_p", "dog_p"])
    (('cat_p', 'dog_p'), ('cat_', 'dog_'), ('cat', 'dog'))
    >>> readings_of(["10", "11"]), readings_of(["cat", "rat"])
    ((('10', '11'),), (('cat', 'rat'),))
    """
    shortest = min(map(len, names), default=0)
    begins = [n for n in range(max(shortest, 1)) if len({name[:n] for name in names}) == 1]
    ends = [
        n for n in range(max(shortest, 1)) if len({name[len(name) - n :] for name in names}) == 1
    ]
    found = {
        tuple(name[begin : len(name) - end] for name in names): None
        for end in ends
        for begin in begins
        if begin + end < shortest
        and not any(_in_number(name, begin) for name in names)
        and all(_begins_word(name, len(name) - end) for name in names)
    }
    return tuple(found)


def _in_number(name: str, place: int) -> bool:
    return 0 < place < len(name) and name[place - 1].isdigit() and name[place].isdigit()


def _begins_word(name: str, place: int) -> bool:
    """Whether a name may be cut here, before its end."""
    if place == len(name):
        return True
    before, after = name[place - 1], name[place]
    if before.isdigit() or after.isdigit():
        return before.isdigit() != after.isdigit()
    return not (before.isalpha() and after.isalpha()) or (before.islower() and after.isupper())


def as_classes(names: Sequence[str]) -> tuple[Any, ...]:
    """Classes of columns: their names, or whole numbers if all of them are.

    >>> as_classes(["0", "1"]), as_classes(["0", "b"]), as_classes(["01", "02"])
    ((0, 1), ('0', 'b'), ('01', '02'))
    """
    is_number = all(name.isascii() and name.isdigit() and str(int(name)) == name for name in names)
    return tuple(map(int, names)) if is_number else tuple(names)


def places_by_name(names: Sequence[str], classes: Sequence[Any]) -> tuple[int, ...] | None:
    """Place of the column of each class; None if the names have nothing to do with the classes.

    Names that tell some of the classes and not all of them are refused: the order of the columns
    may then be another one.

    Examples
    --------
    >>> places_by_name(["p_b", "p_a"], ["a", "b"]), places_by_name(["x", "y"], ["a", "b"])
    ((1, 0), None)
    >>> places_by_name(["p_b", "p_x"], ["a", "b"])
    Traceback (most recent call last):
    lwcal.errors.InputError: expected a column for each class ('a', 'b'), or names that tell \
none, got the columns 'p_b', 'p_x', none of them of 'a'. Rename the columns after the classes; \
or, if their order is right, pass them without names: frame.to_numpy().
    """
    readings = readings_of(names)
    places = _places(readings, classes)
    if places is not None:
        return places
    wanted = {class_key(label): label for label in classes}
    reading = set(map(class_key, nearest(readings, wanted)))
    if not reading & set(wanted):
        return None
    lacking = next((label for key, label in wanted.items() if key not in reading), None)
    fault = "two of them of one class" if lacking is None else f"none of them of {lacking!r}"
    expected = f"a column for each class ({listed_classes(classes)}), or names that tell none"
    got = f"the columns {listed_classes(names)}, {fault}"
    raise InputError(f"{message(expected, got)} {RENAME}.")


def has_other_order(names: Sequence[str], classes: Sequence[Any]) -> bool:
    """Whether the names of the columns are these classes in another order.

    >>> has_other_order(["p_b", "p_a"], ["a", "b"]), has_other_order(["x", "y"], ["a", "b"])
    (True, False)
    """
    places = _places(readings_of(names), classes)
    return places is not None and places != tuple(range(len(places)))


def classes_by_name(
    labels: dict[str, Any], names: Sequence[str], name: str
) -> tuple[Any, ...] | None:
    """Class of each column; None if no label is the name of a column.

    Parameters
    ----------
    labels : dict
        Keys of the labels, each with the label as it is written.
    names : sequence of str
        Names of the columns.
    name : str
        The labels, as messages call them.

    Examples
    --------
    >>> classes_by_name({"1": 1, "2": 2}, ["p_2", "p_1", "p_0"], "y")
    (2, 1, 0)
    >>> classes_by_name({"a": "A"}, ["cat", "dog"], "y") is None
    True
    """
    readings = readings_of(names)
    reading = nearest(readings, labels)
    keys = [class_key(column) for column in reading]
    unknown = [label for key, label in labels.items() if key not in keys]
    if len(unknown) == len(labels):
        return None
    if unknown:
        raise InputError(
            f"{name} has the label {unknown[0]!r}, and no column is of that name, while others "
            f"are named after labels ({listed_classes(names)}). {RENAME}; classes=[...] then "
            "names their classes."
        )
    twice = one_class_twice(reading, names)
    if twice is not None:
        raise InputError(message("a different class for each column of scores", twice))
    texts = any(isinstance(label, str) for label in labels.values())
    unlabelled = reading if texts else as_classes(reading)
    return tuple(labels.get(key, other) for key, other in zip(keys, unlabelled, strict=True))


def nearest(readings: Sequence[tuple[str, ...]], labels: dict[str, Any]) -> tuple[str, ...]:
    """The reading that has most of these classes; of equal ones, the first.

    >>> nearest(readings_of(["p_a", "p_b"]), {"a": "a", "b": "b"})
    ('a', 'b')
    """
    return max(readings, key=lambda reading: len(labels.keys() & set(map(class_key, reading))))


def one_class_twice(classes: Sequence[Any], columns: Sequence[str] | None = None) -> str | None:
    """Name two classes that are one and the same, or the columns that are named after them.

    >>> one_class_twice(["7", "x", "07"]).partition(":")[0]
    "'7' and '07'"
    >>> one_class_twice(["7", "8"]) is None
    True
    """
    met: dict[str, int] = {}
    for place, label in enumerate(classes):
        first = met.setdefault(class_key(label), place)
        if first != place:
            shown = classes if columns is None else columns
            return f"{shown[first]!r} and {shown[place]!r}: {SAME_CLASS}"
    return None


def listed_classes(classes: Sequence[Any]) -> str:
    """Show classes in a message.

    >>> listed_classes(["a", 2])
    "'a', 2"
    """
    more = ", ..." if len(classes) > SHOWN_CLASSES else ""
    return ", ".join(map(repr, classes[:SHOWN_CLASSES])) + more


def _places(readings: Sequence[tuple[str, ...]], classes: Sequence[Any]) -> tuple[int, ...] | None:
    """Place of the column of each class in the first reading that has these classes."""
    wanted = [class_key(label) for label in classes]
    for reading in readings:
        place = {class_key(column): number for number, column in enumerate(reading)}
        if len(place) == len(reading) and set(place) == set(wanted):
            return tuple(place[key] for key in wanted)
    return None
