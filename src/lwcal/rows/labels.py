"""Read whole columns of labels as 0 and 1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import BoolArray, LabelArray
from lwcal.rows.classes import MOST_CLASSES, Classes, class_faults, class_key, find_missing
from lwcal.rows.faults import InvalidRows, RowNumbers
from lwcal.rows.values import ArrayLike, Column, as_column, check_same_length

NOT_CHECKED = 2
"""Code of a missing label, where labels may be missing."""


def as_labels(
    labels: ArrayLike, *, pos_label: Any = None, name: str = "y", row_numbers: RowNumbers = 0
) -> LabelArray:
    """Return labels of two classes as 0 and 1, or refuse them.

    Booleans, 0/1, -1/1 and pairs such as no/yes explain themselves. For any other pair,
    ``pos_label`` names the positive class. Messages count rows from 0, or by ``row_numbers``.

    >>> as_labels(["no", "Yes", "YES "])
    array([0, 1, 1], dtype=uint8)
    """
    column = as_column(labels, name)
    plain = plain_labels(column, pos_label)
    return _coded([column], pos_label, name, row_numbers=row_numbers)[0] if plain is None else plain


def plain_labels(column: Column, pos_label: Any = None) -> LabelArray | None:
    """Return booleans, 0/1 and -1/1 as codes, in few operations; None for anything else."""
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "biuf":
        return None
    if pos_label is not None and class_key(pos_label) != "1":
        return None
    if column.dtype.kind == "b":
        return np.ascontiguousarray(column).view(np.uint8)
    if column.dtype.kind == "f":
        is_binary = bool(((column == 0) | (column == 1)).all())
    else:
        is_binary = np.bitwise_or.reduce(column) in (0, 1)  # one pass over a long column
    if is_binary:
        return column.astype(np.uint8)
    is_signed = bool(((column == -1) | (column == 1)).all())
    return (column == 1).astype(np.uint8) if is_signed else None


class Checked(NamedTuple):
    """Labels as they were found, and the true labels of the rows that were checked."""

    noisy: LabelArray
    true: LabelArray
    """Of the checked rows only."""
    checked: BoolArray


def as_checked_labels(
    y: ArrayLike, y_audited: ArrayLike | None, *, pos_label: Any = None
) -> Checked:
    """Return labels, and true labels that are missing where nobody checked, as 0 and 1.

    >>> as_checked_labels(["no", "yes", "no"], [None, "yes", "yes"])
    Checked(noisy=array([0, 1, 0]...), true=array([1, 1]...), checked=array([False,  True,  True]))
    """
    noisy = as_column(y, "y")
    if y_audited is None:
        codes = as_labels(noisy, pos_label=pos_label)
        return Checked(codes, codes[:0], np.zeros(len(codes), dtype=np.bool_))
    audited = as_column(y_audited, "y_audited")
    check_same_length(len(noisy), len(audited), "y_audited", of="labels")
    # read together: the checked rows may hold one class, or 1.0 instead of 1
    labels, truths = _coded([noisy, audited], pos_label, "y", may_miss=(False, True))
    checked = truths != NOT_CHECKED
    return Checked(labels, truths[checked], checked)


def _coded(
    columns: list[Column],
    pos_label: Any,
    name: str,
    may_miss: tuple[bool, ...] = (False,),
    row_numbers: RowNumbers = 0,
) -> list[LabelArray]:
    """Read whole columns that have their classes in common."""
    classes, invalid = Classes(), InvalidRows(rows=len(columns[0]))
    found = [classes.encode(column, row_numbers) for column in columns]
    for codes, allowed in zip(found, may_miss, strict=True):
        if not allowed:
            find_missing(codes, row_numbers, name, invalid)
    meaning = classes.meaning(pos_label, name=name)
    for fault in class_faults(classes, meaning, name):
        invalid.add(fault)
    invalid.refuse(drop_hint=None)
    code_of = np.full(MOST_CLASSES + 1, NOT_CHECKED, dtype=np.uint8)  # the last one is MISSING
    code_of[list(meaning.codes)] = list(meaning.codes.values())
    return [code_of[codes] for codes in found]
