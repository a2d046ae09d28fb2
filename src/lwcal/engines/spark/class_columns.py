"""Spark expressions: columns of class probabilities and labels, and the fault of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DoubleType

from lwcal.engines.spark import columns, worker
from lwcal.rows.class_reducer import ClassNames
from lwcal.rows.probabilities import most_off_by
from lwcal.rows.scales import PROBABILITY

OF_A_SCORE = 4
"""Faults that each column of scores may have; those of a row come after those of all columns."""
NO_SUM, WRONG_SUM, NO_LABEL, NO_CLASS, BAD_WEIGHT = range(1, 6)


def row_of(values: Sequence[Column]) -> Column:
    """All probabilities of a row as a list, with NaN where there is none."""
    return F.array(*(F.coalesce(value, F.lit(float("nan"))) for value in values))


def total_of(row: Column, n_classes: int) -> Column:
    """The sum of such a list; numpy adds up in another order than Spark, and the sum decides."""
    add_up = arrow_udf(worker.row_summer(n_classes), DoubleType())  # type: ignore[call-overload]
    total: Column = add_up(row)
    return total


def is_valid_row(row: Column, n_classes: int) -> Column:
    """Whether all values of such a list are probabilities, and sum to 1."""
    is_valid = F.abs(total_of(row, n_classes) - 1.0) <= most_off_by(n_classes)
    for place in range(n_classes):
        is_valid = is_valid & columns.is_probability(F.get(row, F.lit(place)))
    return is_valid


def prepared(
    frame: DataFrame, names: ClassNames, codes: Sequence[tuple[Any, int]], missing: Sequence[Any]
) -> DataFrame:
    """Select the needed columns under fixed names, with the fault of every row.

    Columns: ``p_0``, ``p_1``, ... the probabilities, ``label`` the number of its column,
    ``weight``, ``outside`` a score outside [0, 1], ``fault``, and ``example``.

    Parameters
    ----------
    frame : DataFrame
    names : ClassNames
    codes : pairs of object and int
        Labels with the numbers of their columns.
    missing : sequence
        Texts that stand for a missing label.
    """
    columns.require(frame, names.used)
    read = _read(frame, names)
    values = [F.col(f"p_{place}") for place in range(len(names.scores))]
    given, weight, total = F.col("given_label"), F.col("weight"), F.col("total")
    label = code_of(given, codes)
    row_fault = OF_A_SCORE * len(names.scores)
    fault, came, outside = F.lit(0), F.lit(None).cast("string"), F.lit(None).cast("double")
    # from the last check to the first: the first fault of a row counts
    if names.weight is not None:
        is_bad = ~F.coalesce(columns.is_weight(weight), F.lit(False))
        fault = F.when(is_bad, F.lit(row_fault + BAD_WEIGHT)).otherwise(fault)
        came = F.when(is_bad, F.col("given_weight")).otherwise(came)
    no_label = given.isNull() | given.isin(*missing) if missing else given.isNull()
    for code, is_wrong, value in (
        (NO_CLASS, label.isNull(), given.cast("string")),
        (NO_LABEL, no_label, F.lit(None).cast("string")),
        (WRONG_SUM, ~(F.abs(total - 1.0) <= most_off_by(len(values))), total.cast("string")),
        (NO_SUM, total == 0.0, total.cast("string")),
    ):
        fault = F.when(is_wrong, F.lit(row_fault + code)).otherwise(fault)
        came = F.when(is_wrong, value).otherwise(came)
    for place, value in reversed(list(enumerate(values))):
        of_score = F.col(f"fault_{place}")
        fault = F.when(of_score > 0, of_score + OF_A_SCORE * place).otherwise(fault)
        came = F.when(of_score > 0, F.col(f"given_{place}")).otherwise(came)
        is_outside = of_score == columns.OUTSIDE
        outside = F.when(is_outside, value).when(of_score > 0, F.lit(None)).otherwise(outside)
    judged = read.select(
        *values,
        label.alias("label"),
        weight,
        outside.alias("outside"),
        fault.alias("fault"),
        F.struct(came.alias("value"), F.col("row")).alias("example"),
    )
    return judged.withColumn("example", F.when(F.col("fault") > 0, F.col("example")))


def _read(frame: DataFrame, names: ClassNames) -> DataFrame:
    """Read each column once, in steps: Spark would repeat an expression wherever it is used.

    Columns: ``p_0``, ... the probabilities, ``given_0``, ... as they came, ``fault_0``, ... their
    faults, ``total`` their sum, ``given_label``, ``weight``, ``given_weight``, and ``row``.
    """
    found = [columns.scores(frame, name, PROBABILITY) for name in names.scores]
    weight = columns.Numbers(F.lit(1.0), F.lit(False), F.lit(None).cast("string"))
    if names.weight is not None:
        weight = columns.numbers(frame, names.weight)
    read = frame.select(
        *(one.given.alias(f"p_{place}") for place, one in enumerate(found)),
        *(one.came.alias(f"given_{place}") for place, one in enumerate(found)),
        *(one.is_there.alias(f"is_there_{place}") for place, one in enumerate(found)),
        columns.labels(frame, names.label).alias("given_label"),
        weight.value.alias("weight"),
        weight.came.alias("given_weight"),
        columns.example_row(frame).alias("row"),
    )
    values = [F.col(f"p_{place}") for place in range(len(found))]
    faults = {
        f"fault_{place}": columns.score_fault(value, F.col(f"is_there_{place}"), PROBABILITY)
        for place, value in enumerate(values)
    }
    return read.withColumns({"total": total_of(row_of(values), len(values)), **faults})


def code_of(given: Column, codes: Sequence[tuple[Any, int]]) -> Column:
    """The number of the column of each label; null for labels that are no class."""
    spellings: dict[int, list[Any]] = {}
    for label, code in codes:
        spellings.setdefault(code, []).append(label)
    found = F.lit(None).cast("int")
    for code, labels in spellings.items():
        found = F.when(given.isin(*labels), F.lit(code)).otherwise(found)
    return found
