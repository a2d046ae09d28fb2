"""What a value is: columns of any kind, missing values, and numbers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError, message

MISSING_WORDS = frozenset(
    ("", "#N/A", "#NA", "<NA>", "N/A", "NA", "n/a", "na", "NULL", "null", "None")
).union(("NaN", "nan", "-nan", "NaT"))
"""Text that stands for a missing value; surrounding blanks do not matter."""
ArrayLike: TypeAlias = Any
"""A one-dimensional numpy array, pandas or polars Series, pyarrow array, or list."""
Column: TypeAlias = Any
"""A one-dimensional array of numpy or pyarrow."""
NOUNS = {
    "y": "labels",
    "y_true": "labels",
    "y_audited": "audited labels",
    "sample_weight": "weights",
    "identities": "ids",
    "segments": "segments",
    "times": "times",
}
"""What the values of a parameter are called in messages."""
TRUTH = {"true": 1.0, "false": 0.0}
"""Text of booleans, in lower case: a CSV file holds them as words."""
EXPONENT = r"([eE][+-]?[0-9]+)?"
COMMA_NUMBER = rf"[+-]?[0-9]*,[0-9]+{EXPONENT}"
"""Text of a number with a decimal comma. It works as a regular expression of Java too."""
PERCENT_NUMBER = rf"([+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+){EXPONENT})\s*%"
"""Text of a number with a percent sign; the first group is the number."""


def is_missing(values: npt.NDArray[Any]) -> BoolArray:
    """Mark NaN, None, NaT, pandas.NA, and text such as "NA" or "".

    >>> is_missing(np.array([1, None, " NA ", float("nan"), "no"], dtype=object))
    array([False,  True,  True,  True, False])
    """
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "iub":
        return np.zeros(len(values), dtype=np.bool_)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    listed = values.tolist()
    return np.fromiter(map(is_missing_value, listed), dtype=np.bool_, count=len(listed))


def is_missing_value(value: Any) -> bool:
    """Whether a single value is missing."""
    if isinstance(value, str):
        return value.strip() in MISSING_WORDS
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True  # pandas is not imported for this, and its NA cannot be compared
    return isinstance(value, (float, np.floating)) and value != value


def value_or_none(value: Any) -> Any:
    """A value that defines a group: as it came, or None for the missing values of any library.

    Text is never missing here: NULL, nan and NA may be names of countries or of shops.

    >>> value_or_none(float("nan")), value_or_none("nan"), value_or_none(7)
    (None, 'nan', 7)
    """
    return None if not isinstance(value, str) and is_missing_value(value) else value


def as_column(
    values: ArrayLike,
    name: str,
    hint: str = "Pass a single column.",
    *,
    allow_empty: bool = False,
) -> Column:
    """Check that this is one column, with rows unless it may be empty; copy only if necessary."""
    if type(values) is np.ndarray and values.ndim == 1 and len(values):
        return values  # the usual case, first
    column = _converted(values, name)
    if not is_arrow(column):
        column = _one_dimensional(column, name, hint)
    if len(column) == 0 and not allow_empty:
        raise InputError(no_rows(name))
    return column


def as_floats(values: ArrayLike, name: str) -> FloatArray:
    """Convert numbers of any shape; refuse what is no real number.

    >>> as_floats([1, 0.5j], "a")
    Traceback (most recent call last):
    lwcal.errors.InputError: expected a to be real numbers, got complex128.
    """
    values = without_mask(values)
    try:
        found = np.asarray(values)
        if not np.iscomplexobj(found):
            return np.asarray(values, dtype=np.float64)
        problem = str(found.dtype)
    except (TypeError, ValueError) as error:
        problem = str(error)
    raise InputError(message(f"{name} to be real numbers", problem))


def no_rows(name: str) -> str:
    """Word the error about data without rows."""
    return f"{name} has no rows; at least one is needed. Check the source of the data."


def check_same_length(expected: int, got: int, name: str, *, of: str = "scores") -> None:
    """Refuse columns of different length.

    >>> check_same_length(12_210, 12_209, "y")
    Traceback (most recent call last):
    lwcal.errors.InputError: 12,210 scores but 12,209 labels. Both must come from the same rows.
    """
    if expected != got:
        noun = NOUNS.get(name, f"values of {name}")
        noun = noun.removesuffix("s") if got == 1 else noun
        hint = "Both must come from the same rows."
        raise InputError(f"{expected:,} {of} but {got:,} {noun}. {hint}")


def is_arrow(column: Any) -> bool:
    """Whether a column is of pyarrow; decided by name, because pyarrow is optional."""
    return type(column) is not np.ndarray and package_of(column) == "pyarrow"


def package_of(value: Any) -> str:
    """Name of the package that a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def _converted(values: ArrayLike, name: str) -> Column:
    column = _arrow_column(values)
    if column is not None:
        return column
    try:
        return np.asarray(without_mask(values))
    except ValueError:
        hint = "Pass a single column."
        raise InputError(f"{name} has rows of different length. {hint}") from None


def without_mask(values: ArrayLike) -> ArrayLike:
    """Return a masked array of numpy with missing values where it hides some; others as they are.

    >>> without_mask(np.ma.array([0.5, 0.7], mask=[False, True]))
    array([0.5, nan])
    >>> without_mask(np.ma.array([0, 1], mask=[False, True]))
    array([0, None], dtype=object)
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    hidden, plain = np.ma.getmaskarray(values), np.ma.getdata(values)
    if not hidden.any():
        return plain
    if plain.dtype.kind in "fmM":
        missing = np.nan if plain.dtype.kind == "f" else plain.dtype.type("NaT")
        return np.where(hidden, missing, plain).astype(plain.dtype)
    found = plain.astype(object)
    found[hidden] = None
    return found


def _one_dimensional(array: npt.NDArray[Any], name: str, hint: str) -> npt.NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}, expected one column. {hint}")
    return array


def _arrow_column(values: ArrayLike) -> Column | None:
    """Convert what keeps its missing values best in Arrow; None for everything else."""
    package = package_of(values)
    if package == "pyarrow":
        return _one_chunk(values)
    is_extension = package == "pandas" and not isinstance(
        getattr(values, "dtype", np.dtype(object)), np.dtype
    )
    if not (is_extension or (package == "polars" and hasattr(values, "to_arrow"))):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        column = values.to_arrow() if package == "polars" else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError):  # types that Arrow does not have
        return None
    return _one_chunk(column)


def _one_chunk(column: Column) -> Column:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


class Numbers(NamedTuple):
    """A column read as numbers.

    Attributes
    ----------
    values : float64 array
        NaN where a value is missing or not numeric.
    not_numeric : bool array or None
        Rows that hold something else; None when there are none.
    original : array
        The values as they arrived, to be shown in messages.
    percent : bool array or None
        Rows whose text has a percent sign, so that 6.1 means 0.061; None when there are none.
    """

    values: FloatArray
    not_numeric: BoolArray | None
    original: npt.NDArray[Any]
    percent: BoolArray | None = None


def as_numbers(column: Column) -> Numbers:
    """Read a column as numbers; text that holds numbers is accepted.

    >>> as_numbers(np.array(["0.5", "NA", "high"], dtype=object))[:2]
    (array([0.5, nan, nan]), array([False, False,  True]))
    """
    array = _plain_array(column)
    if array.dtype.kind in "fiub":
        values = np.ascontiguousarray(array, dtype=np.float64)
        return Numbers(values, None, values)
    return _one_by_one(array)


def as_score_numbers(column: Column) -> Numbers:
    """Read a column of scores as numbers: texts may have a decimal comma or a percent sign.

    Weights may not: in them a comma could separate thousands.

    >>> numbers = as_score_numbers(np.array(["0,061", "6.1 %", "high"], dtype=object))
    >>> numbers.values, numbers.percent
    (array([0.061, 6.1  ,   nan]), array([False,  True, False]))
    """
    array = _plain_array(column)
    if array.dtype.kind in "fiub":
        values = np.ascontiguousarray(array, dtype=np.float64)
        return Numbers(values, None, values)
    listed = array.tolist()
    split = [split_percent(value) for value in listed]
    percent = np.fromiter((is_signed for _, is_signed in split), np.bool_, count=len(split))
    read = _one_by_one(as_objects([value for value, _ in split]))
    return read._replace(original=array, percent=percent if percent.any() else None)


def split_percent(value: Any) -> tuple[Any, bool]:
    """Write a score as Python reads it, and say whether it had a percent sign.

    >>> split_percent("6,1 %"), split_percent("0,061"), split_percent("1,234.5"), split_percent(6)
    (('6.1', True), ('0.061', False), ('1,234.5', False), (6, False))
    """
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if not isinstance(value, str):
        return value, False
    text = value.strip()
    if text.endswith("%"):
        found = re.fullmatch(PERCENT_NUMBER, text)
        return (found[1].replace(",", "."), True) if found else (value, False)
    is_comma = "," in text and re.fullmatch(COMMA_NUMBER, text)
    return (text.replace(",", ".") if is_comma else value), False


def _plain_array(column: Column) -> npt.NDArray[Any]:
    array = _from_arrow(column) if is_arrow(column) else column
    # dates become text, because numpy would count their nanoseconds
    return array.astype(str) if array.dtype.kind in "mM" else array


def parse_number(value: Any) -> float | None:
    """Read one value as a number; None when it is not numeric.

    >>> parse_number(" 0.5 "), parse_number("TRUE"), parse_number("1_0"), parse_number("high")
    (0.5, 1.0, None, None)
    """
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        if "_" in value:  # Python reads 1_0 as 10, and nothing else does
            return None
        value = TRUTH.get(value.strip().lower(), value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _one_by_one(column: npt.NDArray[Any]) -> Numbers:
    values = np.full(len(column), np.nan)
    bad = np.zeros(len(column), dtype=np.bool_)
    for row, value in enumerate(column.tolist()):
        if is_missing_value(value):
            continue
        number = parse_number(value)
        if number is None:
            bad[row] = True
        else:
            values[row] = number
    return Numbers(values, bad if bad.any() else None, column)


def _from_arrow(column: Column) -> npt.NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if is_text(kind) or pa.types.is_decimal(kind):
        return _cast_text(column)
    if pa.types.is_boolean(kind) and column.null_count:
        column = column.cast(pa.int8())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers_of(column)
    if pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return as_objects(column.to_pylist())


def _numbers_of(column: Column) -> npt.NDArray[Any]:
    """Numbers without a copy, or with NaN for nulls; ``to_numpy`` would import pandas."""
    import pyarrow as pa

    if column.null_count:
        column = column.cast(pa.float64(), safe=False).fill_null(np.nan)
    return np.from_dlpack(column)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is text."""
    import pyarrow as pa

    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _cast_text(column: Column) -> npt.NDArray[Any]:
    """Cast all values at once; where that fails, they are read one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    try:
        return _numbers_of(pc.cast(column, pa.float64()))
    except pa.ArrowInvalid:
        return as_objects(column.to_pylist())


def as_objects(values: list[Any]) -> npt.NDArray[Any]:
    """Keep values as they are, lists among them too."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
