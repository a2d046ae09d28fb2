"""Columns as people hold them (arrays, Series, Arrow, lists) to checked numpy arrays."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError, message, offending_rows
from lwcal.kernels.arrays import BoolArray, FloatArray, LabelArray

ArrayLike: TypeAlias = Any
"""A one-dimensional numpy array, pandas or polars Series, pyarrow array, or list."""

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


def as_scores(scores: ArrayLike, *, name: str = "scores") -> FloatArray:
    """Probabilities in [0, 1] as a contiguous float64 array."""
    hint = "pass one column; of the output of predict_proba that is [:, 1]"
    values = _as_floats(_as_column(scores, name, hint), name)
    # min and max carry NaN along, so one comparison refuses everything that is not in range
    if not (values.min() >= 0.0 and values.max() <= 1.0):
        raise InputError(_explain_bad_scores(values, name))
    return values


def as_labels(labels: ArrayLike, *, pos_label: Any = None, name: str = "y_noisy") -> LabelArray:
    """Two-class labels as 0 and 1.

    Booleans, {0, 1}, {-1, 1} and pairs such as no/yes explain themselves; for any other
    pair ``pos_label`` names the positive class.
    """
    values = _as_column(labels, name)
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
    y_noisy: ArrayLike, y_audited: ArrayLike | None, *, pos_label: Any = None
) -> Checked:
    """Labels, and true labels with NaN, None or null where nobody checked, as codes.

    >>> as_checked_labels(["no", "yes", "no"], [None, "yes", "yes"])
    Checked(noisy=array([0, 1, 0]...), true=array([1, 1]...), checked=array([False,  True,  True]))
    """
    noisy = _as_column(y_noisy, "y_noisy")
    if y_audited is None:
        nobody = np.zeros(len(noisy), dtype=np.bool_)
        codes = as_labels(noisy, pos_label=pos_label)
        return Checked(codes, codes[:0], nobody)
    audited = _as_column(y_audited, "y_audited")
    check_same_length(len(noisy), len(audited), "y_audited")
    checked = ~is_missing(audited)
    # coded together: what was checked may hold one class, or be written as 1.0 instead of 1
    together = np.concatenate([noisy, audited[checked]])
    codes = as_labels(together, pos_label=pos_label, name="y_noisy and y_audited")
    return Checked(codes[: len(noisy)], codes[len(noisy) :], checked)


def as_weights(
    sample_weight: ArrayLike, n: int, *, name: str = "sample_weight", allow_zeros: bool = False
) -> FloatArray:
    """Frequencies: finite, not negative, one a row, and not all zero unless that is allowed."""
    values = _as_floats(_as_column(sample_weight, name), name)
    check_same_length(n, len(values), name)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise InputError(
            message(
                f"{name} to be finite and at least 0",
                offending_rows(bad, values, "that are not"),
                "a weight is how often a row counts; use 0 to leave a row out",
            )
        )
    if not allow_zeros and not values.any():
        raise InputError(
            message(
                f"a positive {name} in some row", f"{len(values):,} zeros", "nothing would count"
            )
        )
    return values


def as_chances(
    values: ArrayLike, rows: BoolArray, *, name: str = "audit_probability"
) -> FloatArray:
    """Probabilities with which these rows were chosen: above 0, and at most 1.

    >>> as_chances([0.5, None, 0.1], np.array([True, False, True]))
    array([0.5, 0.1])
    """
    column = _as_floats(_as_column(values, name), name)
    check_same_length(len(rows), len(column), name)
    bad = rows & ~((column > 0.0) & (column <= 1.0))
    if bad.any():
        got = offending_rows(bad, column, "that are not, of the checked rows")
        raise InputError(message(f"{name} above 0, up to 1", got))
    return np.asarray(column[rows])


def check_same_length(expected: int, got: int, name: str) -> None:
    """Refuse columns of different length."""
    if expected != got:
        raise InputError(
            message(
                f"{name} with one value a score ({expected:,})",
                f"{got:,}",
                "check that both columns come from the same rows",
            )
        )


def _as_column(
    values: ArrayLike, name: str, hint: str = "pass a single column"
) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            message(f"{name} to be one column", "rows of different length", "pass a single column")
        ) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(
            message(f"{name} to be one-dimensional", f"an array of shape {array.shape}", hint)
        )
    if array.size == 0:
        raise InputError(
            message(f"at least one row in {name}", "none", "check the source of the data")
        )
    return array


def _as_floats(array: npt.NDArray[Any], name: str) -> FloatArray:
    if array.dtype.kind in "fiub":
        return np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "O":
        missing = is_missing(array)
        try:
            return np.where(missing, np.nan, array).astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass  # the rows that are not numbers are named below
    bad = np.fromiter((not _is_number(value) for value in array), dtype=bool, count=len(array))
    if not bad.any():
        got, hint = f"{array.dtype}", f"convert them, for example with {name}.astype(float)"
    else:
        got, hint = offending_rows(bad, array, "that are not"), "check the column's name and type"
    raise InputError(message(f"{name} to be numbers", got, hint))


def _is_number(value: Any) -> bool:
    if isinstance(value, complex):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _explain_bad_scores(values: FloatArray, name: str) -> str:
    expected = f"{name} to be probabilities in [0, 1]"
    finite = np.isfinite(values)
    if not finite.all():
        what = "that are missing (NaN)" if np.isnan(values).any() else "that are infinite"
        bad = np.isnan(values) if np.isnan(values).any() else ~finite
        return message(
            expected, offending_rows(bad, values, what), "drop or repair those rows first"
        )
    bad = (values < 0) | (values > 1)
    return message(expected, offending_rows(bad, values, "outside"), range_hint(values))


def range_hint(values: FloatArray) -> str:
    """Guess what numbers that are no probabilities could be."""
    low, high = float(values.min()), float(values.max())
    if low < 0 and np.mean(values < 0) > 0.01 and high <= 50 and low >= -50:
        return "these look like logits: scipy.special.expit turns them into probabilities"
    if low >= 0 and 1.5 < high <= 100:
        return "these look like percentages: divide them by 100"
    return "clip rounding errors with numpy.clip, or check that this is the score column"


def is_missing(values: npt.NDArray[Any]) -> BoolArray:
    """Rows that hold NaN, None, NaT or pandas' NA."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "iubUS":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    return np.fromiter((_is_missing_value(v) for v in values), dtype=np.bool_, count=len(values))


def _is_missing_value(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # pandas.NA compares to nothing
        return True
    return isinstance(value, (float, np.floating)) and value != value


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
