"""Spark expressions: columns as numbers and labels, and the fault of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    AtomicType,
    BinaryType,
    BooleanType,
    DataType,
    DecimalType,
    NullType,
    NumericType,
    StringType,
)

from lwcal.errors import InputError, message
from lwcal.rows.reducer import Names
from lwcal.rows.values import MISSING_WORDS

SHOWN_COLUMNS = 3
"""Number of columns that identify an example row; ids usually come first."""

NOT_A_NUMBER, MISSING, INFINITE, OUTSIDE, NO_LABEL, BAD_WEIGHT = range(1, 7)
"""Faults of a row, in the order in which they are checked; 0 means none."""


class Numbers(NamedTuple):
    """A column as float64 with nulls, which values are not numbers, and the values as text."""

    value: Column
    is_other: Column
    came: Column


def require(frame: DataFrame, names: Sequence[str]) -> None:
    """Refuse column names that do not exist."""
    for name in names:
        if name not in frame.columns:
            listed = ", ".join(f"{known} ({kind})" for known, kind in frame.dtypes)
            raise InputError(
                message(f"a column {name!r} in the DataFrame", f"the columns {listed}")
            )


def column(name: str) -> Column:
    """A column by its exact name: a dot in it is not a path."""
    return F.col("`" + name.replace("`", "``") + "`")


def numbers(frame: DataFrame, name: str) -> Numbers:
    """Read a column as numbers; of a vector of two probabilities the second counts."""
    given, kind = column(name), _type(frame, name)
    if _is_vector(kind):
        parts = vector_to_array(given)
        value = F.when(F.size(parts) == 2, F.get(parts, F.lit(1)))
        return Numbers(value, given.isNotNull() & value.isNull(), parts.cast("string"))
    if isinstance(kind, StringType):
        present = F.when(~F.trim(given).isin(*sorted(MISSING_WORDS)), F.trim(given))
        value = present.try_cast("double")
        return Numbers(value, present.isNotNull() & value.isNull(), given)
    if isinstance(kind, (NumericType, BooleanType, NullType)):
        value = given.cast("double")
        return Numbers(value, F.lit(False), value.cast("string"))
    expected = f"column {name!r} to be numbers or vectors of two probabilities"
    raise InputError(message(expected, kind.simpleString(), "check the column's name and type"))


def labels(frame: DataFrame, name: str) -> Column:
    """Read a column of any plain type as labels, with null where a label is missing."""
    given, kind = column(name), _type(frame, name)
    if isinstance(kind, DecimalType):
        return given.cast("double")
    if isinstance(kind, BooleanType):
        return given.cast("int")
    if isinstance(kind, NumericType):
        # NaN is a missing label
        return F.when(~F.isnan(given), given) if kind.typeName() in ("float", "double") else given
    if isinstance(kind, AtomicType) and not isinstance(kind, BinaryType):
        return given
    expected = f"column {name!r} to hold labels"
    raise InputError(message(expected, kind.simpleString(), "check the column's name"))


def is_probability(value: Column) -> Column:
    """Whether a number lies in [0, 1]; for Spark, NaN is larger than any number."""
    return (value >= 0.0) & (value <= 1.0)


def is_weight(value: Column) -> Column:
    """Whether a number is a valid weight."""
    return (value >= 0.0) & (value < float("inf"))


def prepared(frame: DataFrame, names: Names, by: Sequence[str] = ()) -> DataFrame:
    """Select the needed columns under fixed names, with the fault of every row.

    Columns: ``score``, ``label``, ``weight`` where there is one, ``fault`` and ``example``,
    and those of the groups as ``by_0``, ``by_1``, ...
    """
    require(frame, [*names.used, *by])
    score = numbers(frame, names.score)
    label = labels(frame, names.label)
    kept = [score.value.alias("score"), label.alias("label")]
    came = score.came
    fault = (
        F.when(score.is_other, F.lit(NOT_A_NUMBER))
        .when(score.value.isNull() | F.isnan(score.value), F.lit(MISSING))
        .when(F.abs(score.value) == float("inf"), F.lit(INFINITE))
        .when(~is_probability(score.value), F.lit(OUTSIDE))
        .when(label.isNull(), F.lit(NO_LABEL))
    )
    if names.weight is not None:
        weight = numbers(frame, names.weight)
        is_bad = ~F.coalesce(is_weight(weight.value), F.lit(False))
        came = F.when(is_bad & is_probability(score.value), weight.came).otherwise(came)
        fault = fault.when(is_bad, F.lit(BAD_WEIGHT))
        kept.append(weight.value.alias("weight"))
    fault = fault.otherwise(F.lit(0))
    example = F.struct(came.alias("value"), _row(frame).alias("row"))
    return frame.select(
        *kept,
        fault.alias("fault"),
        F.when(fault > 0, example).alias("example"),
        *(column(name).alias(f"by_{place}") for place, name in enumerate(by)),
    )


def _row(frame: DataFrame) -> Column:
    """The first columns of a row as text, by which a user can find it."""
    shown = [
        F.concat(F.lit(f"{field.name}="), F.coalesce(column(field.name).cast("string"), F.lit("?")))
        for field in frame.schema.fields
        if isinstance(field.dataType, AtomicType) and not isinstance(field.dataType, BinaryType)
    ]
    return F.concat_ws(", ", *shown[:SHOWN_COLUMNS])


def _type(frame: DataFrame, name: str) -> DataType:
    return frame.schema[name].dataType


def _is_vector(kind: Any) -> bool:
    return type(kind).__name__ == "VectorUDT"
