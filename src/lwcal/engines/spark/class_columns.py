"""Spark expressions: columns of class probabilities and labels, and the fault of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DoubleType

from lwcal.engines.spark import columns, worker
from lwcal.rows.class_reducer import ClassNames
from lwcal.rows.probabilities import OFF_BY
from lwcal.rows.scales import PROBABILITY

OF_A_SCORE = 4
"""Faults that each column of scores may have; those of a row come after those of all columns."""
NO_SUM, WRONG_SUM, NO_LABEL, NO_CLASS, BAD_WEIGHT = range(1, 6)


class ClassScores(NamedTuple):
    """Columns of class probabilities.

    Attributes
    ----------
    columns : list of Scores
    rows : Column
        All probabilities of a row as a list, with NaN where there is none.
    total : Column
        Their sum.
    is_valid : Column
        Whether all of them are probabilities that sum to 1.
    """

    columns: list[columns.Scores]
    rows: Column
    total: Column
    is_valid: Column


def class_scores(frame: DataFrame, names: Sequence[str]) -> ClassScores:
    """Read the columns of all classes."""
    columns.require(frame, names)
    found = [columns.scores(frame, name, PROBABILITY) for name in names]
    rows = F.array(*(F.coalesce(one.given, F.lit(float("nan"))) for one in found))
    # numpy adds up in another order than Spark, and the sum decides whether a row is valid
    add_up = arrow_udf(worker.row_summer(len(names)), DoubleType())  # type: ignore[call-overload]
    total = add_up(rows)
    is_valid = F.abs(total - 1.0) <= OFF_BY
    for one in found:
        is_valid = is_valid & columns.is_probability(F.coalesce(one.given, F.lit(float("nan"))))
    return ClassScores(found, rows, total, is_valid)


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
    scores = class_scores(frame, names.scores)
    given = columns.labels(frame, names.label)
    label = _code(given, codes)
    row_fault = OF_A_SCORE * len(names.scores)
    fault, came, outside = F.lit(0), F.lit(None).cast("string"), F.lit(None).cast("double")
    weight = F.lit(1.0)
    # from the last check to the first: the first fault of a row counts
    if names.weight is not None:
        found = columns.numbers(frame, names.weight)
        weight = found.value
        is_bad = ~F.coalesce(columns.is_weight(weight), F.lit(False))
        fault = F.when(is_bad, F.lit(row_fault + BAD_WEIGHT)).otherwise(fault)
        came = F.when(is_bad, found.came).otherwise(came)
    no_label = given.isNull() | given.isin(*missing) if missing else given.isNull()
    for code, is_wrong, value in (
        (NO_CLASS, label.isNull(), given.cast("string")),
        (NO_LABEL, no_label, F.lit(None).cast("string")),
        (WRONG_SUM, ~(F.abs(scores.total - 1.0) <= OFF_BY), scores.total.cast("string")),
        (NO_SUM, scores.total == 0.0, scores.total.cast("string")),
    ):
        fault = F.when(is_wrong, F.lit(row_fault + code)).otherwise(fault)
        came = F.when(is_wrong, value).otherwise(came)
    for place, one in reversed(list(enumerate(scores.columns))):
        of_score = columns.score_fault(one, PROBABILITY)
        fault = F.when(of_score > 0, of_score + OF_A_SCORE * place).otherwise(fault)
        came = F.when(of_score > 0, one.came).otherwise(came)
        is_outside = of_score == columns.OUTSIDE
        outside = F.when(is_outside, one.given).when(of_score > 0, F.lit(None)).otherwise(outside)
    example = F.struct(came.alias("value"), columns.example_row(frame).alias("row"))
    return frame.select(
        *(one.given.alias(f"p_{place}") for place, one in enumerate(scores.columns)),
        label.alias("label"),
        weight.alias("weight"),
        outside.alias("outside"),
        fault.alias("fault"),
        F.when(fault > 0, example).alias("example"),
    )


def _code(given: Column, codes: Sequence[tuple[Any, int]]) -> Column:
    """The number of the column of each label; null for labels that are no class."""
    spellings: dict[int, list[Any]] = {}
    for label, code in codes:
        spellings.setdefault(code, []).append(label)
    found = F.lit(None).cast("int")
    for code, labels in spellings.items():
        found = F.when(given.isin(*labels), F.lit(code)).otherwise(found)
    return found
