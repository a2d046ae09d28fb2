"""A first pass over all rows: Spark counts the classes of the labels and the unusable rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.spark import columns
from lwcal.errors import InputError
from lwcal.rows.classes import MOST_CLASSES, Classes, class_faults
from lwcal.rows.fault_kinds import BAD_WEIGHT, KINDS, MISSING_LABEL, Fault, Kind
from lwcal.rows.faults import DROP_SHARE, Found, InvalidRows
from lwcal.rows.reducer import Names
from lwcal.rows.scales import AUTO, PROBABILITY, SeenScores

TEXTS = frozenset(kinds.not_numeric for kinds in KINDS.values())
"""Faults of values that are shown as they were written."""


class CheckedRows(NamedTuple):
    """Number of usable rows, the labels of their two classes, and the unusable rows."""

    rows: int
    negative: list[Any]
    positive: list[Any]
    dropped: InvalidRows


def check_rows(
    rows: DataFrame,
    names: Names,
    *,
    pos_label: Any,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
) -> CheckedRows:
    """Check prepared rows in one pass, which sends the driver one line per class and fault.

    If rows are unusable, a second pass finds an example of each fault. It reads columns that the
    first pass does not need.
    """
    finite = F.when(rows.fault.isin(0, columns.OUTSIDE), rows.given)
    found = (
        # the label of an unusable row does not matter, and could be anything
        rows.groupBy("fault", F.when(rows.fault == 0, rows.label).alias("label"))
        .agg(
            F.count(F.lit(1)).alias("count"),
            F.min(finite).alias("low"),
            F.max(finite).alias("high"),
            F.avg(F.when(rows.fault == 0, rows.score)).alias("mean"),
            F.min("percent").alias("percent"),
            F.min("plain").alias("plain"),
        )
        # a column of ids has very many classes; these are enough to refuse it
        .limit(MOST_CLASSES + columns.BAD_WEIGHT)
        .toArrow()
        .to_pylist()
    )
    dropped = InvalidRows(rows=sum(line["count"] for line in found))
    if not dropped.rows:
        raise InputError(f"column {names.score!r} has no rows; check the source of the data.")
    if scale == PROBABILITY:
        dropped.percent, dropped.plain = text_among(found, "percent"), text_among(found, "plain")
        dropped.refuse_mixture(names.shown().score)
    for fault in counted_faults(found, rows, _kinds(names, scale).__getitem__, _value):
        dropped.add(fault)
    is_score = [fault.name == names.shown().score for fault in dropped.faults.values()]
    if any(is_score) and not drop_invalid:
        dropped.refuse()
    classes = Classes()
    totals: dict[int, float] = {}
    for line in found:
        if not line["fault"]:
            place = classes.add(line["label"], line["count"])
            totals[place] = totals.get(place, 0.0) + line["mean"] * line["count"]
    meaning = classes.meaning(
        pos_label,
        name=names.shown().label,
        mean_score=lambda place: totals[place] / float(classes.counts[place]),
    )
    for fault in class_faults(classes, meaning, names.shown().label):
        dropped.add(fault)
    if not drop_invalid:
        dropped.refuse()
    dropped.check_drop_share(allow_drop_share)
    if not meaning.codes:
        raise InputError(f"No usable row is left: {dropped}; check the columns.")
    negative, positive = (
        [
            value
            for place, code in meaning.codes.items()
            if code == wanted
            for value in classes.spellings(place)
        ]
        for wanted in (0, 1)
    )
    return CheckedRows(dropped.rows - dropped.count, negative, positive, dropped)


def known_scale(frame: DataFrame, score: str, scale: str) -> str:
    """The scale itself, or the one that all scores tell, in a pass of its own."""
    if scale != AUTO:
        return scale
    columns.require(frame, [score])
    read = columns.scores(frame, score, "percent")  # on which signs change no number
    finite = F.when(columns.is_score(read.given, "logit"), read.given)
    (line,) = (
        frame.select(finite.alias("given"), read.percent.alias("percent"))
        .agg(
            F.min("given").alias("low"),
            F.max("given").alias("high"),
            F.count("given").alias("finite"),
            F.count_if(columns.is_probability(F.col("given"))).alias("inside"),
            F.count_if("percent").alias("signed"),
        )
        .toArrow()
        .to_pylist()
    )
    seen = SeenScores(**line) if line["finite"] else SeenScores()
    return seen.scale(f"column {score!r}")


def refuse_bad_scores(
    frame: DataFrame,
    score: str,
    *,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
) -> None:
    """Refuse unusable scores, with their number and an example of each fault."""
    names = Names(score, "lwcal_label")
    rows = columns.prepared(frame.withColumn(names.label, F.lit(0)), names, scale=scale)
    check_rows(
        rows,
        names,
        pos_label=1,
        scale=scale,
        drop_invalid=drop_invalid,
        allow_drop_share=allow_drop_share,
    )


def text_among(found: list[dict[str, Any]], name: str) -> Found | None:
    """One of the texts that Spark found, the same in every run."""
    texts = [line[name] for line in found if line[name] is not None]
    return Found(None, min(texts)) if texts else None


def counted_faults(
    found: list[dict[str, Any]],
    rows: DataFrame,
    kind_of: Callable[[int], tuple[str, Kind]],
    value_of: Callable[[Kind, str | None], Any],
) -> list[Fault]:
    """Faults that a pass has counted, in their order; another pass finds an example of each.

    Parameters
    ----------
    found : list of dict
        By fault: its number, or 0 for rows that can be used; ``count``, ``low`` and ``high``.
    rows : DataFrame
    kind_of : function
        Returns the column and the kind of a fault, by its number.
    value_of : function
        Returns the value of an example, by the kind and the text of the value.
    """
    wrong = sorted((line for line in found if line["fault"]), key=lambda line: int(line["fault"]))
    some = _examples(rows) if wrong else {}
    faults = []
    for line in wrong:
        name, kind = kind_of(line["fault"])
        example = some[line["fault"]]
        outside = (line["low"], line["high"]) if line["low"] is not None else ()
        value = value_of(kind, example["value"])
        faults.append(Fault(name, kind, line["count"], example["row"], value, *outside))
    return faults


def _examples(rows: DataFrame) -> dict[int, dict[str, Any]]:
    """Find one row for each fault, the same in every run."""
    wrong = rows.filter(rows.fault > 0).groupBy("fault").agg(F.min("example").alias("example"))
    lines = wrong.select("fault", "example.value", "example.row").toArrow().to_pylist()
    return {line["fault"]: line for line in lines}


def _kinds(names: Names, scale: str) -> dict[int, tuple[str, Kind]]:
    """The column of each fault, and its kind."""
    score, label, weight = names.shown()
    of_score = KINDS[scale]
    return {
        columns.NOT_A_NUMBER: (score, of_score.not_numeric),
        columns.MISSING: (score, of_score.missing),
        columns.INFINITE: (score, of_score.infinite),
        columns.OUTSIDE: (score, of_score.outside),
        columns.NO_LABEL: (label, MISSING_LABEL),
        columns.BAD_WEIGHT: (str(weight), BAD_WEIGHT),
    }


def _value(kind: Kind, text: str | None) -> Any:
    """The value of an example as other engines would show it."""
    if kind is MISSING_LABEL:
        return None
    return text if kind in TEXTS else example_value(text)


def example_value(text: str | None) -> Any:
    """The number that a text of an example stands for, or the text."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text
