"""``reduce_classes``: equal rows of several classes, counted on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import LongType

from lwcal.engines import UNLABELLED
from lwcal.engines.class_columns import class_columns
from lwcal.engines.spark import class_columns as of_classes
from lwcal.engines.spark import columns, worker
from lwcal.engines.spark.checking import counted_faults, example_value
from lwcal.engines.spark.reducing import NAME
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.rows.class_counts import ClassCounts, most_rows
from lwcal.rows.class_reducer import ClassNames, ClassReduction, unknown_label
from lwcal.rows.classes import MOST_CLASSES, class_key
from lwcal.rows.counts import LIMIT
from lwcal.rows.fault_kinds import BAD_WEIGHT, KINDS, MISSING_LABEL, Kind
from lwcal.rows.faults import DROP_SHARE, InvalidRows, check_drop_share
from lwcal.rows.frames import shown
from lwcal.rows.probabilities import ALL_ZEROS, SCORES, WRONG_SUM
from lwcal.rows.reducer import check_not_empty
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import is_missing_value, no_rows

MARGIN = 6.0
"""Standard deviations by which more rows are fetched than a sample needs: keys are random."""


def reduce_classes(
    frame: DataFrame,
    scores: str | Sequence[str],
    label: str,
    weight: str | None = None,
    *,
    classes: Sequence[Any] | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> ClassRows:
    """Count equal rows of several classes on the cluster; the driver receives distinct rows.

    The result is identical, bit for bit, to that of any other engine for the same rows; see
    :func:`lwcal.engines.duckdb.reduce_classes`. The DataFrame is computed three to five times;
    call ``cache()`` first if that is expensive.

    Parameters
    ----------
    frame : Spark DataFrame
        From a classic session or from Spark Connect.
    scores : str or list of str
        Columns of the probabilities of the classes: a pattern with one asterisk, which stands for
        the class, or a list.
    label, weight : str
        Names of the other columns.
    classes : sequence, optional
        Class of each column, if the names do not tell.
    drop_invalid : bool, default False
        Drop unusable rows with a warning that counts them, instead of raising an error.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct rows beyond which a sample is kept; None: never.

    Examples
    --------
    >>> import lwcal
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [(0.2, 0.3, 0.5, "c"), (0.6, 0.2, 0.2, "a")]
    >>> frame = spark.createDataFrame(rows, ["p_a", "p_b", "p_c", "y"])
    >>> lwcal.engines.spark.reduce_classes(frame, "p_*", "y").classes
    ('a', 'b', 'c')
    """
    others = [label, *([weight] if weight else [])]
    found = class_columns(scores, dict(frame.dtypes), others=others)
    with explained(NAME):
        if classes is None:
            labels = label_counts(frame, label) if len(found.readings) > 1 else []
            classes = found.classes(labels)
        names = ClassNames.checked(found.names, classes, label, weight)
        reduced = reduce_class_frame(
            frame,
            names,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
            limit=limit,
        )
    reduced.dropped.warn()
    return ClassRows.of_counts(reduced.counts, names.classes)


def label_counts(frame: DataFrame, name: str) -> list[tuple[Any, int]]:
    """Distinct labels with their numbers of rows; refuse more than classes can be."""
    columns.require(frame, [name])
    found = frame.groupBy(columns.labels(frame, name).alias("label")).count()
    lines = found.limit(MOST_CLASSES + 1).toArrow().to_pylist()
    if len(lines) > MOST_CLASSES:
        raise InputError(
            f"{shown(name)} has more than {MOST_CLASSES:,} distinct values, too many for classes. "
            "Check that this is the right column."
        )
    return [(line["label"], line["count"]) for line in lines]


def reduce_class_frame(
    frame: DataFrame,
    names: ClassNames,
    *,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> ClassReduction:
    """Reduce a DataFrame to counts of equal rows."""
    check_drop_share(allow_drop_share)
    columns.require(frame, names.used)
    column_of = {class_key(label): code for code, label in enumerate(names.classes)}
    labels = [label for label, _ in label_counts(frame, names.label) if label is not None]
    missing = [label for label in labels if is_missing_value(label)]
    codes = [
        (label, column_of[class_key(label)])
        for label in labels
        if label not in missing and class_key(label) in column_of
    ]
    rows = of_classes.prepared(frame, names, codes, missing)
    dropped, total = _check(rows, names)
    n_used = dropped.rows - dropped.count
    if not drop_invalid:
        dropped.refuse(scalable=False)
    dropped.check_drop_share(allow_drop_share, scalable=False)
    counts = _count(rows, names, total, n_used, most_rows(len(names.classes), limit))
    check_not_empty(len(counts.labels), dropped)
    return ClassReduction(counts, dropped)


def check_class_rows(frame: DataFrame, scores: Sequence[str]) -> InvalidRows:
    """Count rows without valid class probabilities, by fault."""
    names = ClassNames(tuple(scores), tuple(scores), UNLABELLED)
    labelled = frame.withColumn(UNLABELLED, F.lit(0))
    return _check(of_classes.prepared(labelled, names, [(0, 0)], []), names)[0]


def _check(rows: DataFrame, names: ClassNames) -> tuple[InvalidRows, float]:
    """Count unusable rows by fault; and the weight of those that are usable."""
    found = (
        rows.groupBy("fault")
        .agg(
            F.count(F.lit(1)).alias("count"),
            F.sum("weight").alias("weight"),
            F.min("outside").alias("low"),
            F.max("outside").alias("high"),
        )
        .toArrow()
        .to_pylist()
    )
    invalid = InvalidRows(rows=sum(line["count"] for line in found))
    if not invalid.rows:
        raise InputError(no_rows(SCORES))
    of_texts = {KINDS[PROBABILITY].not_numeric, unknown_label(names.classes)}
    for fault in counted_faults(
        found,
        rows,
        lambda code: _fault(code, names),
        lambda kind, text: text if kind in of_texts else example_value(text),
    ):
        invalid.add(fault)
    return invalid, sum(float(line["weight"]) for line in found if not line["fault"])


def _fault(code: int, names: ClassNames) -> tuple[str, Kind]:
    """The column of a fault, and its kind."""
    place, of_score = divmod(code - 1, of_classes.OF_A_SCORE)
    if place < len(names.scores):
        return shown(names.scores[place]), KINDS[PROBABILITY][of_score]
    total = f"the sum of a row of {SCORES}"
    return {
        of_classes.NO_SUM: (total, ALL_ZEROS),
        of_classes.WRONG_SUM: (total, WRONG_SUM),
        of_classes.NO_LABEL: (shown(names.label), MISSING_LABEL),
        of_classes.NO_CLASS: (shown(names.label), unknown_label(names.classes)),
        of_classes.BAD_WEIGHT: (shown(str(names.weight)), BAD_WEIGHT),
    }[code - of_classes.OF_A_SCORE * len(names.scores)]


def _count(
    rows: DataFrame, names: ClassNames, total: float, n_used: int, limit: int | None
) -> ClassCounts:
    """Count equal rows: all of them, or a sample if there are more than the limit."""
    n_classes = len(names.classes)
    scores = [f"p_{place}" for place in range(n_classes)]
    weight = F.count(F.lit(1)) if names.weight is None else F.sum("weight")
    used = rows.filter((rows.fault == 0) & (rows.weight > 0.0))
    distinct = used.groupBy("label", *scores).agg(weight.cast("double").alias("weight"))
    if limit is None or n_used <= limit or (several := distinct.count()) <= limit:
        return _counts(distinct.toArrow(), scores, total)
    keys = arrow_udf(worker.row_sampler(n_classes), LongType())  # type: ignore[call-overload]
    keyed = distinct.withColumn("key", keys(F.array(*scores), F.col("label")))
    share = limit / several
    found = None
    while found is None or found.num_rows < limit:
        share *= 1.0 + MARGIN / np.sqrt(limit)
        found = keyed.filter(is_low(share)).toArrow()
    lowest = np.argsort(found.column("key").to_numpy(), kind="stable")[:limit]
    return _counts(found.take(lowest), scores, total)._replace(is_sample=True)


def is_low(share: float) -> Column:
    """Whether a key is among this share of all possible ones."""
    highest = int(min(share, 1.0) * 2.0**64) - 2**63
    return F.col("key") <= F.lit(min(highest, 2**63 - 1))


def _counts(table: Any, scores: Sequence[str], total: float) -> ClassCounts:
    return ClassCounts(
        np.column_stack([table.column(name).to_numpy() + 0.0 for name in scores]),
        table.column("label").to_numpy().astype(np.intp),
        table.column("weight").to_numpy(),
        total,
        is_sample=False,
    )
