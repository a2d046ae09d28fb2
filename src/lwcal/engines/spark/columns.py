"""Spark expressions: columns as numbers and labels, and the fault of every row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pyspark import cloudpickle
from pyspark.ml.functions import vector_to_array
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import (
    AtomicType,
    BinaryType,
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    NullType,
    NumericType,
    StringType,
)

from lwcal import class_maps
from lwcal.engines import listed_columns
from lwcal.engines.spark import worker
from lwcal.errors import InputError, message
from lwcal.numerics import row_keys, sigmoid
from lwcal.rows.fault_kinds import HEAVIEST, LIGHTEST
from lwcal.rows.reducer import Names
from lwcal.rows.scales import LOGIT, PERCENT, PROBABILITY, RANGES
from lwcal.rows.values import COMMA_NUMBER, MISSING_WORDS, PERCENT_NUMBER

# the workers do not have lwcal, so its functions are sent by value
for module in (worker, class_maps, row_keys, sigmoid):
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]

SHOWN_COLUMNS = 3
"""Number of columns that identify an example row; ids usually come first."""

NOT_A_NUMBER, MISSING, INFINITE, OUTSIDE, NO_LABEL, BAD_WEIGHT = range(1, 7)
"""Faults of a row, in the order in which they are checked; 0 means none."""


class Numbers(NamedTuple):
    """A column as float64 with nulls, whether there is a value at all, and the values as text."""

    value: Column
    is_there: Column
    came: Column


class Scores(NamedTuple):
    """A column of scores.

    Attributes
    ----------
    given : Column
        Scores on their scale as float64, with null where there is none.
    is_there : Column
        Whether there is a value; if it is no score, it is not a number.
    came : Column
        The values as text.
    percent : Column
        Whether a text has a percent sign.
    """

    given: Column
    is_there: Column
    came: Column
    percent: Column


def require(frame: DataFrame, names: Sequence[str]) -> None:
    """Refuse column names that do not exist."""
    for name in names:
        if name not in frame.columns:
            listed = listed_columns(dict(frame.dtypes))
            raise InputError(message(f"a column {name!r} in the DataFrame", listed))


def column(name: str) -> Column:
    """A column by its exact name: a dot in it is not a path."""
    return F.col("`" + name.replace("`", "``") + "`")


def once(value: Column, then: Callable[[Column], Column]) -> Column:
    """An expression of a value that is computed once, however often the expression names it.

    Spark copies an expression to each place that names it, also through filters. Copies of copies
    make plans that take longer than their rows.
    """
    return F.get(F.transform(F.array(value), then), F.lit(0))


def numbers(frame: DataFrame, name: str) -> Numbers:
    """Read a column as numbers; of a vector of two probabilities the second counts."""
    given, kind = column(name), _type(frame, name)
    if _is_vector(kind):
        parts = vector_to_array(given)
        value = F.when(F.size(parts) == 2, F.get(parts, F.lit(1)))
        return Numbers(value, given.isNotNull(), parts.cast("string"))
    if isinstance(kind, StringType):
        present = F.when(~F.trim(given).isin(*sorted(MISSING_WORDS)), F.trim(given))
        value = present.try_cast("double")
        return Numbers(value, present.isNotNull(), given)
    if isinstance(kind, (NumericType, BooleanType, NullType)):
        value = given.cast("double")
        return Numbers(value, given.isNotNull(), value.cast("string"))
    expected = f"column {name!r} to be numbers or vectors of two probabilities"
    raise InputError(message(expected, kind.simpleString(), "check the column's name and type"))


def scores(frame: DataFrame, name: str, scale: str) -> Scores:
    """Read a column as scores: texts may have a decimal comma or a percent sign."""
    if not isinstance(_type(frame, name), StringType):
        return Scores(*numbers(frame, name), F.lit(False))
    came = column(name)
    text = F.trim(came)
    text = F.when(~text.isin(*sorted(MISSING_WORDS)), text)
    is_percent = F.coalesce(text.rlike(f"^{PERCENT_NUMBER}$"), F.lit(False))
    plain = (
        F.when(is_percent, _dotted(F.regexp_extract(text, f"^{PERCENT_NUMBER}$", 1)))
        .when(text.rlike(f"^{COMMA_NUMBER}$"), _dotted(text))
        .otherwise(text)
    )
    value = plain.try_cast("double")
    if scale == PROBABILITY:
        value = F.when(is_percent, value / 100.0).otherwise(value)
    elif scale == LOGIT:
        value = F.when(~is_percent, value)
    return Scores(value, text.isNotNull(), came, is_percent)


def _dotted(text: Column) -> Column:
    return F.translate(text, ",", ".")


def is_score(given: Column, scale: str) -> Column:
    """Whether a number is a valid score on its scale; for Spark, NaN is larger than any number."""
    if scale == LOGIT:
        return F.abs(given) < float("inf")
    low, high = RANGES[scale]
    return (given >= low) & (given <= high)


def score_fault(given: Column, is_there: Column, scale: str) -> Column:
    """The fault of a score; 0 means none."""
    return (
        F.when(is_there & given.isNull(), F.lit(NOT_A_NUMBER))
        .when(given.isNull() | F.isnan(given), F.lit(MISSING))
        .when(F.abs(given) == float("inf"), F.lit(INFINITE))
        .when(~is_score(given, scale), F.lit(OUTSIDE))
        .otherwise(F.lit(0))
    )


def probabilities(given: Column, scale: str) -> Column:
    """Turn scores into probabilities, with the bits of the other engines; others become null."""
    if scale == PROBABILITY:
        return given
    if scale == PERCENT:
        return F.when(is_score(given, scale), given / 100.0)
    logistic = arrow_udf(worker.logistic, DoubleType())  # type: ignore[call-overload]
    return F.when(is_score(given, scale), logistic(given))


def labels(frame: DataFrame, name: str) -> Column:
    """Read a column of any plain type as labels, with null where a label is missing."""
    given, kind = column(name), _type(frame, name)
    if isinstance(kind, DecimalType):
        return given.cast("double")
    if isinstance(kind, BooleanType):
        return given.cast("int")
    if isinstance(kind, NumericType):
        return _without_nan(given, kind)
    if isinstance(kind, AtomicType) and not isinstance(kind, BinaryType):
        return given
    expected = f"column {name!r} to hold labels"
    raise InputError(message(expected, kind.simpleString(), "check the column's name"))


def _without_nan(given: Column, kind: DataType) -> Column:
    """Null where a number is NaN, which is a missing value."""
    return F.when(~F.isnan(given), given) if kind.typeName() in ("float", "double") else given


def is_probability(value: Column) -> Column:
    """Whether a number lies in [0, 1]; for Spark, NaN is larger than any number."""
    return (value >= 0.0) & (value <= 1.0)


def is_weight(value: Column) -> Column:
    """Whether a number is a valid weight."""
    return (value == 0.0) | ((value >= LIGHTEST) & (value <= HEAVIEST))


def prepared(
    frame: DataFrame, names: Names, by: Sequence[str] = (), *, scale: str = PROBABILITY
) -> DataFrame:
    """Select the needed columns under fixed names, with the fault of every row.

    Columns: ``score`` as a probability, ``given`` on its scale, ``percent`` and ``plain`` with the
    text of scores with and without a percent sign, ``label``, ``weight`` where there is one,
    ``fault`` and ``example``, and those of the groups as ``by_0``, ``by_1``, ...
    """
    require(frame, [*names.used, *by])
    read = _read(frame, names, by, scale)
    given, came, is_percent = F.col("given"), F.col("came"), F.col("is_percent")
    kept = [
        probabilities(given, scale).alias("score"),
        given,
        F.when(is_percent, came).alias("percent"),
        F.when(~is_percent & given.isNotNull() & ~F.isnan(given), came).alias("plain"),
        F.col("label"),
    ]
    of_score = score_fault(given, F.col("is_there"), scale)
    fault = F.when(of_score > 0, of_score).when(F.col("label").isNull(), F.lit(NO_LABEL))
    if names.weight is not None:
        is_bad = ~F.coalesce(is_weight(F.col("weight")), F.lit(False))
        came = F.when(is_bad & is_score(given, scale), F.col("given_weight")).otherwise(came)
        fault = fault.when(is_bad, F.lit(BAD_WEIGHT))
        kept.append(F.col("weight"))
    judged = read.select(
        *kept,
        fault.otherwise(F.lit(0)).alias("fault"),
        F.struct(came.alias("value"), F.col("row")).alias("example"),
        *(f"by_{place}" for place in range(len(by))),
    )
    return judged.withColumn("example", F.when(F.col("fault") > 0, F.col("example")))


def _read(frame: DataFrame, names: Names, by: Sequence[str], scale: str) -> DataFrame:
    """Read each column once, in a step: Spark would repeat an expression wherever it is used."""
    score = scores(frame, names.score, scale)
    of_weight = []
    if names.weight is not None:
        weight = numbers(frame, names.weight)
        of_weight = [weight.value.alias("weight"), weight.came.alias("given_weight")]
    return frame.select(
        score.given.alias("given"),
        score.is_there.alias("is_there"),
        score.came.alias("came"),
        score.percent.alias("is_percent"),
        labels(frame, names.label).alias("label"),
        *of_weight,
        example_row(frame).alias("row"),
        *(
            _without_nan(column(name), _type(frame, name)).alias(f"by_{place}")
            for place, name in enumerate(by)
        ),
    )


def example_row(frame: DataFrame) -> Column:
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
