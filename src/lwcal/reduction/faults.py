"""What can be wrong with a row, in the words in which it is told, whichever engine finds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lwcal.reduction.classes import Classes, Meaning
from lwcal.reduction.invalid import Fault


class Words(NamedTuple):
    """Where it is, what it is, what was expected instead, and what to do."""

    column: str
    what: str
    expected: str
    hint: str


def not_a_number(name: str) -> Words:
    """A score that is a word, or whatever else."""
    hint = "check the column's name and type"
    return Words(name, "that are not", f"column {name!r} to be numbers", hint)


def missing_score(name: str) -> Words:
    """A score that is not there."""
    return _no_probability(name, "that are missing (NaN)")


def infinite_score(name: str) -> Words:
    """A score without bounds."""
    return _no_probability(name, "that are infinite")


def outside_score(name: str, hint: str) -> Words:
    """A number that is no probability; the hint says what it may be instead."""
    return _no_probability(name, "outside")._replace(hint=hint)


def _no_probability(name: str, what: str) -> Words:
    expected = f"column {name!r} to be probabilities in [0, 1]"
    return Words(name, what, expected, "drop or repair those rows first")


def missing_label(name: str) -> Words:
    """A row without a label."""
    expected = f"a label in every row of column {name!r}"
    return Words(name, "missing", expected, "drop rows without a label first")


def bad_weight(name: str) -> Words:
    """A weight that no row can have."""
    hint = "a weight is how often a row counts; use 0 to leave a row out"
    return Words(name, "that are not", f"column {name!r} to be finite and at least 0", hint)


def class_faults(classes: Classes, meaning: Meaning, name: str) -> Iterator[Fault]:
    """Classes that stand for a missing label, and those that are neither of the two."""
    pair = " or ".join(repr(classes.values[place]) for place in sorted(meaning.codes))
    hint = "for more classes use CalibratedClassifier; for numbers, threshold them first"
    other = Words(name, f"that are not {pair}", f"column {name!r} to have two classes", hint)
    for words, places in ((missing_label(name), meaning.missing), (other, meaning.others)):
        for place in places:
            first = int(classes.first_rows[place])
            row = None if first < 0 else first
            yield Fault(*words, int(classes.counts[place]), row, classes.values[place])
