"""Columns of labels: two classes, however they are written, as 0 and 1."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, LabelArray
from lwcal.errors import InputError, message, offending_rows
from lwcal.inputs.columns import ArrayLike, as_column, check_same_length, is_missing

OBVIOUS_POSITIVE = {
    frozenset(pair): pair[1]
    for pair in [
        ("0", "1"),
        ("-1", "1"),
        ("false", "true"),
        ("f", "t"),
        ("no", "yes"),
        ("n", "y"),
        ("neg", "pos"),
        ("negative", "positive"),
    ]
}
"""Pairs of labels, in lower case, whose positive one needs no explanation."""


def as_labels(labels: ArrayLike, *, pos_label: Any = None, name: str = "y") -> LabelArray:
    """Two-class labels as 0 and 1.

    Booleans, {0, 1}, {-1, 1} and pairs such as no/yes explain themselves; for any other
    pair ``pos_label`` names the positive class.
    """
    values = as_column(labels, name)
    if values.dtype == np.bool_ and pos_label is None:
        return np.ascontiguousarray(values).view(np.uint8)
    if values.dtype.kind in "iuf" and pos_label is None:
        codes = _numeric_codes(values)
        if codes is not None:
            return codes
    return _named_codes(values, pos_label, name)


class Checked(NamedTuple):
    """Labels as they were found, and the truth of the rows that somebody checked."""

    noisy: LabelArray
    true: LabelArray
    """Of the checked rows only."""
    checked: BoolArray


def as_checked_labels(
    y: ArrayLike, y_audited: ArrayLike | None, *, pos_label: Any = None
) -> Checked:
    """Labels, and true labels with NaN, None or null where nobody checked, as codes.

    >>> as_checked_labels(["no", "yes", "no"], [None, "yes", "yes"])
    Checked(noisy=array([0, 1, 0]...), true=array([1, 1]...), checked=array([False,  True,  True]))
    """
    noisy = as_column(y, "y")
    if y_audited is None:
        nobody = np.zeros(len(noisy), dtype=np.bool_)
        codes = as_labels(noisy, pos_label=pos_label)
        return Checked(codes, codes[:0], nobody)
    audited = as_column(y_audited, "y_audited")
    check_same_length(len(noisy), len(audited), "y_audited")
    checked = ~is_missing(audited)
    # coded together: what was checked may hold one class, or be written as 1.0 instead of 1
    together = np.concatenate([noisy, audited[checked]])
    codes = as_labels(together, pos_label=pos_label, name="y and y_audited")
    return Checked(codes[: len(noisy)], codes[len(noisy) :], checked)


def _numeric_codes(values: npt.NDArray[Any]) -> LabelArray | None:
    """Codes for {0, 1} and {-1, 1}, or None when the labels are something else."""
    if values.dtype.kind in "iu":
        zero_or_one = np.bitwise_or.reduce(values) in (0, 1)  # one pass over a long column
    else:
        zero_or_one = bool(((values == 0) | (values == 1)).all())
    if zero_or_one:
        return values.astype(np.uint8)
    if bool(((values == -1) | (values == 1)).all()):
        return np.asarray(values == 1).astype(np.uint8)
    return None


def _named_codes(values: npt.NDArray[Any], pos_label: Any, name: str) -> LabelArray:
    missing = is_missing(values)
    if missing.any():
        raise InputError(
            message(
                f"a label in every row of {name}",
                offending_rows(missing, values, "missing"),
                "drop rows without a label first",
            )
        )
    classes = sorted(set(values.tolist()), key=str)
    if len(classes) > 2:
        shown = ", ".join(repr(value) for value in classes[:5]) + (
            ", ..." if len(classes) > 5 else ""
        )
        raise InputError(
            message(
                f"{name} to have two classes",
                f"{len(classes):,} distinct values ({shown})",
                "for more classes use CalibratedClassifier; for numbers, threshold them first",
            )
        )
    return np.asarray(values == _positive_class(classes, pos_label, name)).astype(np.uint8)


def _positive_class(classes: list[Any], pos_label: Any, name: str) -> Any:
    if pos_label is not None:
        if pos_label in classes or len(classes) == 1:
            return pos_label
        raise InputError(
            message(
                f"pos_label to be one of {classes}", f"{pos_label!r}", f"name a class of {name}"
            )
        )
    spelling = {spell(value): value for value in classes}
    for pair, positive in OBVIOUS_POSITIVE.items():
        if set(spelling) == pair:
            return spelling[positive]
    for pair, positive in OBVIOUS_POSITIVE.items():  # a part of the data may lack a class
        if set(spelling) < pair:
            return spelling.get(positive)
    raise InputError(
        message(
            f"{name} in which the positive class is obvious (0/1, false/true, no/yes)",
            f"the classes {classes}",
            f"name it, for example pos_label={classes[-1]!r} (--pos-label {classes[-1]})",
        )
    )


def spell(value: Any) -> str:
    """Write numbers alike whether they arrive as 1, 1.0, True or '1'."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().lower()
