"""``reduce_opinions``: equal rows of scores and opinions, counted on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.opinion_names import opinion_names
from lwcal.engines.spark import columns
from lwcal.engines.spark.checking import counted_faults, example_value, known_scale, text_among
from lwcal.engines.spark.class_reducing import label_counts
from lwcal.engines.spark.distinct_opinions import as_opinion_rows, distinct_rows
from lwcal.engines.spark.opinion_columns import Prepared, prepared, score_columns
from lwcal.engines.spark.opinion_pass import asked_of, seen_in
from lwcal.engines.spark.opinion_survey import Reviewers, coding_of, survey_labels
from lwcal.engines.spark.reducing import NAME
from lwcal.engines.spark.session import explained
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionCounter, OpinionCounts
from lwcal.reviews.opinion_reduction import OpinionReduction, finished, most_distinct
from lwcal.rows.counts import LIMIT
from lwcal.rows.fault_kinds import BAD_WEIGHT, KINDS
from lwcal.rows.faults import DROP_SHARE, InvalidRows, check_drop_share
from lwcal.rows.probabilities import ALL_ZEROS, WRONG_SUM
from lwcal.rows.scales import PROBABILITY, check_scale


def reduce_opinions(
    frame: DataFrame,
    scores: str | Sequence[str],
    labels: str | Sequence[str],
    weight: str | None = None,
    *,
    reviewers: str | Sequence[str] | None = None,
    item: str | None = None,
    trusted: str | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> OpinionCounts:
    """Count equal rows of scores and opinions on the cluster; the driver receives distinct rows.

    The result is identical, bit for bit, to that of any other engine for the same rows; see
    :func:`lwcal.engines.duckdb.reduce_opinions`, which explains the parameters. The driver also
    receives the names of all reviewers. The DataFrame is computed several times; call ``cache()``
    first if that is expensive.

    Parameters
    ----------
    frame : Spark DataFrame
        From a classic session or from Spark Connect.
    scores : str or list of str
        Column of scores; or a pattern or list of columns with the probability of each class.
    labels : str or list of str
        Columns of labels, missing where nobody was asked.
    weight : str, optional
        Column of weights.
    reviewers : str or list of str, optional
        Columns that say who gave each label; by default each column of labels is a reviewer.
    item : str, optional
        Column of items, if each row is one answer.
    trusted : str, optional
        Column of checked labels.
    classes : sequence, optional
        Class of each column of scores, if the names do not tell.
    pos_label : optional
        The positive class of one column of scores, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}
        Scale of one column of scores.
    drop_invalid : bool, default False
        Drop unusable rows, or unusable answers of a table of items, with a warning.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct rows of each kind beyond which a sample is kept; None: never.

    Examples
    --------
    >>> import lwcal
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [(0.2, "no", "no"), (0.9, "yes", None), (0.2, "no", "no")]
    >>> frame = spark.createDataFrame(rows, ["p", "ann", "bob"])
    >>> lwcal.engines.spark.reduce_opinions(frame, "p", ["ann", "bob"])
    3 rows with opinions of 2 reviewers, 2 of them distinct
    """
    with explained(NAME):
        names = opinion_names(
            dict(frame.dtypes),
            scores,
            labels,
            reviewers=reviewers,
            item=item,
            trusted=trusted,
            weight=weight,
            classes=classes,
            scale=scale,
            pos_label=pos_label,
            label_counts=lambda name: label_counts(frame, name),
        )
        found = reduce_opinion_frame(
            frame,
            names,
            pos_label=pos_label,
            scale=scale,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
            limit=limit,
        )
    found.dropped.warn()
    return found.counts


def reduce_opinion_frame(
    frame: DataFrame,
    names: OpinionColumns,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    name: str | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
) -> OpinionReduction:
    """Reduce a DataFrame to counts; ``name`` is what messages call the labels."""
    check_scale(scale)
    check_drop_share(allow_drop_share)
    columns.require(frame, names.used)
    known = known_scale(frame, names.scores[0], scale) if names.classes is None else PROBABILITY
    survey, values = survey_labels(frame, names, name, known)
    codes = survey.codes(pos_label)
    known_reviewers = Reviewers.of(frame, names)
    checked = prepared(frame, names, coding_of(codes, values, known_reviewers), known)
    answers = checked.rows.filter(F.col("fault") == 0)
    if names.item is None:  # then one pass tells all about the rows
        rows = answers
        invalid, line = _check(checked, names, known, asked_of(names))
    else:
        rows = _items(answers, names)
        invalid, _ = _check(checked, names, known, [])
        (line,) = rows.agg(*asked_of(names)).toArrow().to_pylist()
    seen = seen_in(line, names, codes, known_reviewers)

    def counted() -> OpinionCounts:
        most = most_distinct(names, limit)
        counter = OpinionCounter(most)
        table = distinct_rows(rows, names, known_reviewers, most, seen.tally.rows)
        counter.take(as_opinion_rows(table, known_reviewers.names), 0.0, (None, None))
        found = counter.found(codes.classes, known_reviewers.names)
        counts = replace(
            found,
            scale=known,
            has_classes=names.classes is not None,
            tally=seen.tally,
            total=seen.total,
        )
        if not names.reviewers:
            return counts
        met = np.unique(found.rows.reviewers)
        if len(met) < len(known_reviewers.names):  # those of rows that do not count, or of none
            said = answers.select(F.explode("said").alias("one")).select("one.who").distinct()
            met = np.sort(said.toArrow().column("who").to_numpy())
        return counts.with_sorted_names(met)

    return finished(
        names,
        invalid,
        seen.conflicts,
        counted,
        drop_invalid=drop_invalid,
        allow_drop_share=allow_drop_share,
    )


def _check(
    checked: Prepared, names: OpinionColumns, scale: str, asked: list[Column]
) -> tuple[InvalidRows, dict[str, Any]]:
    """Count unusable rows by fault, with an example of each; and what is asked of the others."""
    rows = checked.rows
    found = (
        rows.groupBy("fault")
        .agg(
            F.count(F.lit(1)).alias("count"),
            F.min("outside").alias("low"),
            F.max("outside").alias("high"),
            F.min("percent").alias("percent"),
            F.min("plain").alias("plain"),
            *asked,
        )
        .toArrow()
        .to_pylist()
    )
    invalid = InvalidRows(rows=sum(line["count"] for line in found))
    if names.classes is None and scale == PROBABILITY:
        invalid.percent = text_among(found, "percent")
        invalid.plain = text_among(found, "plain")
    of_numbers = {ALL_ZEROS, WRONG_SUM, BAD_WEIGHT, *KINDS[scale][1:]}
    for fault in counted_faults(
        found,
        rows,
        lambda code: (checked.checks[code - 1].name, checked.checks[code - 1].kind),
        lambda kind, text: example_value(text) if kind in of_numbers else text,
    ):
        invalid.add(fault)
    return invalid, next((line for line in found if not line["fault"]), {})


def _items(answers: DataFrame, names: OpinionColumns) -> DataFrame:
    """One row for each item: the lowest values, the highest as ``high_...``, and all opinions."""
    single = [*score_columns(names), "weight", "truth"]
    return answers.groupBy("item").agg(
        *(F.min(name).alias(name) for name in single),
        *(F.max(name).alias(f"high_{name}") for name in single),
        F.sort_array(F.flatten(F.collect_list("said"))).alias("said"),
    )
