"""Find the columns that hold the probabilities of the classes, and the class of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lwcal.engines import listed_columns
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.column_classes import ClassColumns, readings_of
from lwcal.rows.scales import PROBABILITY

ANY = "*"
"""What a pattern has in the place of the class."""
CALIBRATED = "p_calibrated"
"""Column that ``apply`` adds. With several classes, the class follows: p_calibrated_cat."""


def is_one_column(score: str | Sequence[str], columns: Collection[str]) -> bool:
    """Whether this is the name of one column, even one with a comma or an asterisk in it.

    >>> is_one_column("a,b", ["a,b"]), is_one_column("a,b", ["a", "b"]), is_one_column("p", [])
    (True, False, True)
    """
    return isinstance(score, str) and (score in columns or not names_several(score))


def names_several(score: str | Sequence[str]) -> bool:
    """Whether columns are named by a pattern or a list; a single name may still be a column.

    >>> names_several("p_*"), names_several("p_a,p_b"), names_several("p"), names_several(["p"])
    (True, True, False, True)
    """
    return not isinstance(score, str) or ANY in score or "," in score


def class_columns(
    score: str | Sequence[str], columns: Mapping[str, str], *, others: Collection[str] = ()
) -> ClassColumns:
    """Find the columns that a pattern or a list names.

    Parameters
    ----------
    score : str or sequence of str
        A pattern with one asterisk, names with commas between them, or a list of names.
    columns : mapping
        All columns with their types.
    others : collection of str
        Columns that have another role, which no pattern matches.

    Examples
    --------
    >>> class_columns("p_*", {"id": "BIGINT", "p_cat": "DOUBLE", "p_dog": "DOUBLE"})
    ClassColumns(names=('p_cat', 'p_dog'), readings=(('cat', 'dog'),))
    >>> class_columns("x1,x2", {"x1": "DOUBLE", "x2": "DOUBLE"}).readings
    (('x1', 'x2'), ('1', '2'))
    """
    if isinstance(score, str) and ANY in score:
        return _matching(score, columns, others)
    given = [part.strip() for part in score.split(",")] if isinstance(score, str) else list(score)
    for name in given:
        if name not in columns:
            raise InputError(message(f"a column {name!r}", listed_columns(columns)))
    if len(given) < 2:
        raise ParameterError(message("at least two columns of scores", f"{len(given)}"))
    return ClassColumns(tuple(given), readings_of(given))


def _matching(pattern: str, columns: Mapping[str, str], others: Collection[str]) -> ClassColumns:
    begin, _, end = pattern.partition(ANY)
    if ANY in end or "," in pattern:
        raise ParameterError(message("a pattern with one *, or names with commas", f"{pattern!r}"))
    found = {
        name: name[len(begin) : len(name) - len(end)]
        for name in columns
        if name not in others
        and len(name) > len(begin) + len(end)
        and name.startswith(begin)
        and name.endswith(end)
    }
    # columns that an earlier call of apply has added are no classes of their own
    added = f"{CALIBRATED}_"
    if not begin.startswith(added):
        classes = set(found.values())
        found = {
            name: label
            for name, label in found.items()
            if not (name.startswith(added) and name.removeprefix(added) in classes)
        }
    if len(found) < 2:
        got = " and ".join(map(repr, found)) or "none"
        raise InputError(
            message(
                f"at least two columns like {pattern!r}", f"{got} among {listed_columns(columns)}"
            )
        )
    return ClassColumns(tuple(found), (tuple(found.values()),))


def calibrated_columns(column: str, classes: Sequence[Any]) -> list[str]:
    """Name the columns that ``apply`` adds.

    >>> calibrated_columns("p", ["cat", "dog"])
    ['p_cat', 'p_dog']
    """
    return [f"{column}_{label}" for label in classes]


def new_columns(
    names: Sequence[str], existing: Iterable[str], *, replace: bool, source: str
) -> list[str]:
    """Names of new columns, or of existing ones if these may be replaced.

    >>> new_columns(["P"], ["p", "y"], replace=True, source="new.csv")
    ['p']
    """
    known = {name.lower(): name for name in existing}
    taken = next((known[name.lower()] for name in names if name.lower() in known), None)
    if taken is not None and not replace:
        raise ParameterError(
            f"{source} already has a column {taken!r}; choose another name with --column "
            "(column=), or replace it with --force-column (replace_column=True)."
        )
    return [known.get(name.lower(), name) for name in names]


def refuse_scale(scale: str | None) -> None:
    """Refuse any scale of class probabilities but their own."""
    if scale not in (None, PROBABILITY):
        raise ParameterError(
            message("probabilities in several columns of scores", f"the scale {scale}")
        )
