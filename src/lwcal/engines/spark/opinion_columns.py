"""Spark expressions: scores, labels and reviewers of opinions, and the fault of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import IntegerType, StringType

from lwcal.engines.spark import class_columns as of_classes
from lwcal.engines.spark import columns, worker
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_faults import NO_ITEM, NO_REVIEWER
from lwcal.rows.fault_kinds import BAD_WEIGHT, KINDS, Kind
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import ALL_ZEROS, SCORES, WRONG_SUM, most_off_by
from lwcal.rows.values import MISSING_WORDS

SAID = "array<struct<who:int,label:int>>"
"""Opinions of a row: the number of the reviewer and of the class, in their order."""


class Check(NamedTuple):
    """One thing that may be wrong with a row.

    Attributes
    ----------
    name : str
        The column, as messages call it.
    kind : Kind
    is_wrong : Column
    value : Column
        The value as text.
    outside : Column or None
        The number, if it may be outside its range.
    """

    name: str
    kind: Kind
    is_wrong: Column
    value: Column
    outside: Column | None = None


class Coding(NamedTuple):
    """Numbers of labels and reviewers.

    Attributes
    ----------
    labels : dict of str to pairs of object and int
        Labels of each column of answers with the number of their class.
    missing : dict of str to list
        Texts of each column of answers that stand for a missing label.
    unknown : Kind
        What is wrong with a label that is neither.
    reviewers : dict of str to int
        Numbers of the reviewers by their name as text.
    """

    labels: dict[str, list[tuple[Any, int]]]
    missing: dict[str, list[Any]]
    unknown: Kind
    reviewers: dict[str, int]


class Prepared(NamedTuple):
    """Rows under fixed names, and what their faults mean.

    The columns of the rows are ``p_0``, ``p_1``, ... the probabilities, ``said`` the opinions,
    ``truth``, ``weight``, ``item`` if there is one, ``percent`` and ``plain`` with the text of
    scores with and without a percent sign, ``fault``, ``outside`` and ``example``.
    """

    rows: DataFrame
    checks: list[Check]


def prepared(frame: DataFrame, names: OpinionColumns, coding: Coding, scale: str) -> Prepared:
    """Select the needed columns under fixed names, with the fault of every row."""
    read = _read(frame, names, coding, scale)
    checks = _checks(frame, names, coding, scale)
    fault, value, outside = F.lit(0), nothing(), F.lit(None).cast("double")
    # from the last check to the first: the first fault of a row counts
    for number, check in reversed(list(enumerate(checks, start=1))):
        is_wrong = F.coalesce(check.is_wrong, F.lit(False))
        fault = F.when(is_wrong, F.lit(number)).otherwise(fault)
        value = F.when(is_wrong, check.value).otherwise(value)
        number_of = F.lit(None).cast("double") if check.outside is None else check.outside
        outside = F.when(is_wrong, number_of).otherwise(outside)
    judged = read.select(
        *_probabilities(names, scale),
        _said(names).alias("said"),
        F.col("truth"),
        F.col("weight"),
        *(["item"] if names.item is not None else []),
        F.col("percent"),
        F.col("plain"),
        fault.alias("fault"),
        outside.alias("outside"),
        F.struct(value.alias("value"), F.col("row")).alias("example"),
    )
    return Prepared(
        judged.withColumn("example", F.when(F.col("fault") > 0, F.col("example"))), checks
    )


def nothing() -> Column:
    """No text; without a session, Spark makes no columns."""
    return F.lit(None).cast("string")


def reviewer(frame: DataFrame, name: str) -> Column:
    """A column of reviewers, as labels are read."""
    return columns.labels(frame, name)


def _read(frame: DataFrame, names: OpinionColumns, coding: Coding, scale: str) -> DataFrame:
    """Read each column once, in steps: Spark would repeat an expression wherever it is used."""
    found = [columns.scores(frame, name, scale) for name in names.scores]
    weight = columns.Numbers(F.lit(1.0), F.lit(False), nothing())
    if names.weight is not None:
        weight = columns.numbers(frame, names.weight)
    given = {name: columns.labels(frame, name) for name in names.answers}
    who = arrow_udf(worker.coder(coding.reviewers), IntegerType())  # type: ignore[call-overload]
    first = found[0]
    plain = ~first.percent & first.given.isNotNull() & ~F.isnan(first.given)
    read = frame.select(
        *(one.given.alias(f"given_{place}") for place, one in enumerate(found)),
        *(one.came.alias(f"came_{place}") for place, one in enumerate(found)),
        *(one.is_there.alias(f"is_there_{place}") for place, one in enumerate(found)),
        *(given[name].alias(f"said_{place}") for place, name in enumerate(names.answers)),
        *(
            who(reviewer(frame, name).cast("string")).alias(f"who_{place}")
            for place, name in enumerate(names.reviewers)
        ),
        weight.value.alias("weight"),
        weight.came.alias("came_weight"),
        *([columns.column(names.item).alias("item")] if names.item is not None else []),
        F.when(first.percent, first.came).alias("percent"),
        F.when(plain, first.came).alias("plain"),
        columns.example_row(frame).alias("row"),
    )
    values = [F.col(f"given_{place}") for place in range(len(found))]
    more = {
        f"fault_{place}": columns.score_fault(value, F.col(f"is_there_{place}"), scale)
        for place, value in enumerate(values)
    }
    more |= {
        f"label_{place}": of_classes.code_of(F.col(f"said_{place}"), coding.labels[name])
        for place, name in enumerate(names.answers)
    }
    if names.classes is not None:
        more["total"] = of_classes.total_of(of_classes.row_of(values), len(values))
    truth = F.lit(None).cast("int")
    if names.trusted is not None:
        truth = F.col(f"label_{len(names.labels)}")
    return read.withColumns(more).withColumn("truth", truth)


def _checks(frame: DataFrame, names: OpinionColumns, coding: Coding, scale: str) -> list[Check]:
    """All that may be wrong with a row, in the order of the other engine."""
    checks = []
    if names.item is not None:
        missing = _is_missing(frame, names.item, F.col("item"))
        checks.append(Check(shown(names.item), NO_ITEM, missing, nothing()))
    for place, name in enumerate(names.scores):
        fault, value = F.col(f"fault_{place}"), F.col(f"given_{place}")
        for code, kind in enumerate(KINDS[scale], start=1):
            outside = value if code == columns.OUTSIDE else None
            came = F.col(f"came_{place}")
            checks.append(Check(shown(name), kind, fault == code, came, outside))
    if names.classes is not None:
        total, name = F.col("total"), f"the sum of a row of {SCORES}"
        text = total.cast("string")
        checks.append(Check(name, ALL_ZEROS, total == 0.0, text))
        checks.append(
            Check(name, WRONG_SUM, ~(F.abs(total - 1.0) <= most_off_by(len(names.scores))), text)
        )
    for place, name in enumerate(names.answers):
        said = F.col(f"said_{place}")
        is_given = said.isNotNull()
        if coding.missing[name]:
            is_given = is_given & ~said.isin(*coding.missing[name])
        is_wrong = is_given & F.col(f"label_{place}").isNull()
        checks.append(Check(shown(name), coding.unknown, is_wrong, said.cast("string")))
    for place, name in enumerate(names.reviewers):
        nobody = F.col(f"who_{place}").isNull() & F.col(f"label_{place}").isNotNull()
        checks.append(Check(shown(name), NO_REVIEWER, nobody, nothing()))
    if names.weight is not None:
        is_bad = ~F.coalesce(columns.is_weight(F.col("weight")), F.lit(False))
        checks.append(Check(shown(names.weight), BAD_WEIGHT, is_bad, F.col("came_weight")))
    return checks


def _probabilities(names: OpinionColumns, scale: str) -> Sequence[Column]:
    if names.classes is not None:
        return [F.col(f"given_{place}").alias(f"p_{place}") for place in range(len(names.scores))]
    positive = columns.probabilities(F.col("given_0"), scale)
    return [(F.lit(1.0) - positive).alias("p_0"), positive.alias("p_1")]


def _said(names: OpinionColumns) -> Column:
    """Opinions of a row, sorted; nobody who was not asked is among them."""
    found = []
    for place in range(len(names.labels)):
        who = F.col(f"who_{place}") if names.reviewers else F.lit(place)
        label = F.col(f"label_{place}")
        pair = F.struct(who.alias("who"), label.alias("label"))
        found.append(F.when(label.isNotNull(), pair))
    return F.sort_array(F.array_compact(F.array(*found))).cast(SAID)


def _is_missing(frame: DataFrame, name: str, given: Column) -> Column:
    kind = frame.schema[name].dataType
    if isinstance(kind, StringType):
        return given.isNull() | F.trim(given).isin(*sorted(MISSING_WORDS))
    if kind.typeName() in ("float", "double"):
        return given.isNull() | F.isnan(given)
    return given.isNull()


def score_columns(names: OpinionColumns) -> list[str]:
    """Columns of the probabilities of the classes, of which one column of scores has two."""
    return [f"p_{place}" for place in range(max(len(names.scores), 2))]
