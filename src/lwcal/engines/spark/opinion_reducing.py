"""``reduce_opinions``: equal rows of scores and opinions, counted on the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import LongType

from lwcal.engines.opinion_names import opinion_names
from lwcal.engines.spark import columns, worker
from lwcal.engines.spark.checking import example_value, examples, known_scale
from lwcal.engines.spark.class_reducing import MARGIN, is_low, label_counts
from lwcal.engines.spark.opinion_columns import Prepared, prepared
from lwcal.engines.spark.opinion_survey import Reviewers, coding_of, survey_labels
from lwcal.engines.spark.reducing import NAME
from lwcal.engines.spark.session import explained
from lwcal.reviews.conflicts import Conflicts, Differing, Twice
from lwcal.reviews.label_codes import LabelCodes
from lwcal.reviews.name_keys import reviewer_keys
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionCounter, OpinionCounts, OpinionTally
from lwcal.reviews.opinion_reducer import OpinionReduction, finished, most_distinct
from lwcal.reviews.opinion_rows import UNKNOWN, OpinionRows
from lwcal.rows.counts import LIMIT
from lwcal.rows.fault_kinds import BAD_WEIGHT, KINDS, Fault
from lwcal.rows.faults import DROP_SHARE, Found, InvalidRows, check_drop_share
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
        invalid, line = _check(checked, names, known, _asked(names))
    else:
        rows = _items(answers, names)
        invalid, _ = _check(checked, names, known, [])
        (line,) = rows.agg(*_asked(names)).toArrow().to_pylist()
    seen = _seen(line, names, codes, known_reviewers)

    def counted() -> OpinionCounts:
        most = most_distinct(names, limit)
        counter = OpinionCounter(most)
        for table in _distinct(rows, names, known_reviewers, most, seen.tally.rows):
            counter.take(_rows(table, known_reviewers.names), 0.0, (None, None))
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
        for name in ("percent", "plain"):
            texts = [line[name] for line in found if line[name] is not None]
            setattr(invalid, name, Found(None, min(texts)) if texts else None)
    wrong = sorted((line for line in found if line["fault"]), key=lambda line: int(line["fault"]))
    some = examples(rows) if wrong else {}
    of_numbers = {ALL_ZEROS, WRONG_SUM, BAD_WEIGHT, *KINDS[scale][1:]}
    for line in wrong:
        check = checked.checks[line["fault"] - 1]
        example = some[line["fault"]]
        is_number = check.kind in of_numbers
        value = example_value(example["value"]) if is_number else example["value"]
        outside = (line["low"], line["high"]) if line["low"] is not None else ()
        invalid.add(Fault(check.name, check.kind, line["count"], example["row"], value, *outside))
    return invalid, next((line for line in found if not line["fault"]), {})


def _items(answers: DataFrame, names: OpinionColumns) -> DataFrame:
    """One row for each item: the lowest values, the highest as ``high_...``, and all opinions."""
    single = [*_score_columns(names), "weight", "truth"]
    return answers.groupBy("item").agg(
        *(F.min(name).alias(name) for name in single),
        *(F.max(name).alias(f"high_{name}") for name in single),
        F.sort_array(F.flatten(F.collect_list("said"))).alias("said"),
    )


def _score_columns(names: OpinionColumns) -> list[str]:
    return [f"p_{place}" for place in range(max(len(names.scores), 2))]


class _Seen(NamedTuple):
    """What a pass over all valid rows or items tells."""

    tally: OpinionTally
    total: float
    conflicts: Conflicts


def _asked(names: OpinionColumns) -> list[Column]:
    """What a pass over all valid rows or items counts."""
    given, is_checked = F.size("said"), F.col("truth").isNotNull()
    is_used = (given > 0) | is_checked
    asked = [
        F.count(F.lit(1)).alias("rows"),
        F.count_if(~is_used).alias("unlabelled"),
        F.count_if(is_checked).alias("checked"),
        F.count_if(given == 1).alias("single"),
        F.sum(F.when(is_used, F.col("weight"))).alias("total"),
    ]
    for place, own in enumerate(_single_columns(names).values()):
        differs = F.col(own) != F.col(f"high_{own}")
        example = F.struct("item", F.col(own).alias("one"), F.col(f"high_{own}").alias("other"))
        asked.append(F.count_if(differs).alias(f"differ_{place}"))
        asked.append(F.min(F.when(differs, example)).alias(f"example_{place}"))
    return asked + (_repeated(names) if names.reviewers else [])


def _seen(
    line: dict[str, Any], names: OpinionColumns, codes: LabelCodes, known: Reviewers
) -> _Seen:
    """Read what was counted: an empty line if there are no valid rows."""
    tally = OpinionTally(*(line.get(name, 0) for name in OpinionTally._fields))
    conflicts = Conflicts(names.item or "", tally.rows)
    for place, name in enumerate(_single_columns(names)):
        if line.get(f"differ_{place}"):
            example = line[f"example_{place}"]
            one, other = example["one"], example["other"]
            if name == names.trusted:
                one, other = codes.classes[one], codes.classes[other]
            found = Differing(line[f"differ_{place}"], example["item"], one, other)
            conflicts.differ(name, found)
    if line.get("twice"):
        example = line["example_twice"]
        who = known.names[example["who"]]
        conflicts.repeat(Twice(line["twice"], who, example.get("item")))
    return _Seen(tally, float(line.get("total") or 0.0), conflicts)


def _single_columns(names: OpinionColumns) -> dict[str, str]:
    """Columns that must have one value for each item, with their names here."""
    if names.item is None:
        return {}
    offset = len(_score_columns(names)) - len(names.scores)  # one column has two classes
    found = {name: f"p_{place + offset}" for place, name in enumerate(names.scores)}
    if names.weight is not None:
        found[names.weight] = "weight"
    if names.trusted is not None:
        found[names.trusted] = "truth"
    return found


def _repeated(names: OpinionColumns) -> list[Column]:
    """How many labels are further ones of a reviewer, and an example."""
    who = F.transform("said", lambda one: one["who"])
    again = F.filter(who, lambda one, place: F.array_position(who, one) <= place)
    item = [F.col("item")] if names.item is not None else []
    example = F.struct(*item, F.get(again, F.lit(0)).alias("who"))
    return [
        F.sum(F.size(again)).alias("twice"),
        F.min(F.when(F.size(again) > 0, example)).alias("example_twice"),
    ]


def _distinct(
    rows: DataFrame, names: OpinionColumns, known: Reviewers, limit: int | None, n_rows: int
) -> list[Any]:
    """Distinct rows of both kinds as Arrow tables: all of them, or those with low keys."""
    scores = _score_columns(names)
    weight = F.count(F.lit(1)) if names.weight is None else F.sum("weight")
    truth = F.coalesce("truth", F.lit(UNKNOWN)).alias("truth")
    is_used = (F.size("said") > 0) | F.col("truth").isNotNull()
    used = rows.filter(is_used & (F.col("weight") > 0.0)).select(*scores, truth, "said", "weight")
    distinct = (
        used.groupBy(*scores, "truth", "said")
        .agg(weight.cast("double").alias("weight"))
        .select(
            *scores,
            "truth",
            F.transform("said", lambda one: one["who"]).alias("who"),
            F.transform("said", lambda one: one["label"]).alias("label"),
            "weight",
        )
    )
    if limit is None or n_rows <= limit:
        return [distinct.toArrow()]
    tells = (F.size("who") > 1) | (F.col("truth") != UNKNOWN)
    kinds = {"telling": tells, "others": ~tells}
    asked = (F.count_if(which).alias(name) for name, which in kinds.items())
    (sizes,) = distinct.agg(*asked).toArrow().to_pylist()
    if max(sizes.values()) <= limit:
        return [distinct.toArrow()]
    return [
        distinct.filter(which).toArrow()
        if sizes[name] <= limit
        else _lowest(distinct.filter(which), scores, known, limit, sizes[name])
        for name, which in kinds.items()
    ]


def _lowest(
    distinct: DataFrame, scores: list[str], known: Reviewers, limit: int, several: int
) -> Any:
    """Rows with low keys: more than the limit, which the driver cuts."""
    sampler = worker.opinion_sampler(len(scores), reviewer_keys(known.names))
    keys = arrow_udf(sampler, LongType())  # type: ignore[call-overload]
    keyed = distinct.withColumn("key", keys(F.array(*scores), "who", "label", "truth"))
    share, found = limit / several, None
    # at least one more than the limit, so that the driver knows that it is a sample
    while found is None or found.num_rows <= limit:
        share *= 1.0 + MARGIN / np.sqrt(limit)
        found = keyed.filter(is_low(share)).toArrow()
    return found


def _rows(table: Any, names: tuple[Any, ...]) -> OpinionRows:
    """Distinct rows on the driver."""
    places = [name for name in table.column_names if name.startswith("p_")]
    who, label = (table.column(name).combine_chunks() for name in ("who", "label"))
    sizes = who.value_lengths().to_numpy(zero_copy_only=False)
    return OpinionRows(
        np.column_stack([table.column(name).to_numpy() + 0.0 for name in places]),
        table.column("weight").to_numpy(),
        table.column("truth").to_numpy().astype(np.intp),
        np.repeat(np.arange(len(sizes)), sizes),
        who.flatten().to_numpy(zero_copy_only=False).astype(np.intp),
        label.flatten().to_numpy(zero_copy_only=False).astype(np.intp),
        (),
        names,
    )
