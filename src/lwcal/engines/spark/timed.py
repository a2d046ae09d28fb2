"""Count rows of a Spark DataFrame by their times, on the cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DateType, NullType, StringType, TimestampNTZType, TimestampType

from lwcal.engines import UNLABELLED
from lwcal.engines.spark.columns import column, example_row, labels, once, require
from lwcal.engines.spark.reducing import NAME, ReducedFrame, reduce_frame
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError
from lwcal.rows.counts import NOTHING
from lwcal.rows.fault_kinds import Fault
from lwcal.rows.faults import DROP_SHARE, Found, InvalidRows
from lwcal.rows.frames import shown
from lwcal.rows.reducer import Names
from lwcal.rows.scales import AUTO, PROBABILITY
from lwcal.rows.spans import SpanCounts, Spans, SpansReduction
from lwcal.rows.time_counts import Counted, TimeCounts
from lwcal.rows.times import (
    DAY,
    FIRST,
    LAST,
    NO_TIME,
    NOT_A_TIME,
    TIME,
    refuse_mixed_zones,
    refuse_numbers,
)
from lwcal.rows.values import MISSING_WORDS, no_rows

SECONDS, SPAN = "lwcal_seconds", "lwcal_span"
"""Columns that are added to a frame; UNLABELLED is one more."""
FINE, MISSING, WRONG = range(3)
"""Faults of a time."""


def count_times(frame: DataFrame, time: str, *, drop_invalid: bool = False) -> TimeCounts:
    """Count the rows of each day; the driver receives one line for each."""
    read = _read(frame, time)
    lines = (
        read.groupBy("fault", "zoned", F.floor(F.col(SECONDS) / DAY).alias("day"))
        .agg(F.max(SECONDS).alias("newest"), *_counted())
        .toArrow()
        .to_pylist()
    )
    if not lines:
        raise InputError(no_rows(shown(time)))
    invalid = _faults(lines, time)
    fine = [line for line in lines if line["fault"] == FINE]
    _refuse_mixture(fine, time)
    if not drop_invalid or not fine:
        invalid.refuse()
    totals: dict[int, int] = {}
    for line in fine:
        totals[line["day"]] = totals.get(line["day"], 0) + line["rows"]
    days = np.array(sorted(totals), dtype=np.int64)
    rows = np.array([totals[day] for day in days.tolist()], dtype=np.int64)
    newest = max(line["newest"] for line in fine)
    return TimeCounts(days, rows, newest, any(line["zoned"] for line in fine))


def count_seconds(frame: DataFrame, time: str, day: int) -> Counted:
    """Distinct seconds of one day: at most 86,400 lines."""
    read = _read(frame, time).filter((F.col("fault") == FINE) & _of_day(day))
    found = read.groupBy(SECONDS).count().toArrow()
    seconds = found.column(SECONDS).to_numpy().astype(np.int64)
    order = np.argsort(seconds)
    return seconds[order], found.column("count").to_numpy()[order].astype(np.int64)


def reduce_spans(
    frame: DataFrame,
    names: Names,
    time: str,
    spans: Spans,
    *,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    name: str = NAME,
) -> SpansReduction:
    """Count the rows of each span; with labels and without are counted one after the other."""
    require(frame, [*names.used, time])
    with explained(name):
        is_young = _is_young(spans)
        unlabelled = is_young if spans.needs_labels else is_young | ~_has_label(frame, names.label)
        lines = (
            _read(frame, time, is_young.alias("young"), unlabelled.alias("unlabelled"))
            .groupBy("fault", "young", "unlabelled")
            .agg(*_counted())
            .toArrow()
            .to_pylist()
        )
        invalid = _faults(lines, time)
        if not drop_invalid:
            invalid.refuse()
        fine = [line for line in lines if line["fault"] == FINE]
        young = sum(line["rows"] for line in fine if line["young"])
        has_rows = {
            is_labelled: any(line["unlabelled"] != is_labelled for line in fine)
            for is_labelled in (True, False)
        }
        edges = F.array(*(F.lit(int(start)) for start in spans.starts))
        place = F.size(F.filter(edges, lambda edge: edge <= F.col(SECONDS))) - 1
        timed = with_seconds(frame, time).filter(F.col(SECONDS).isNotNull())
        placed = timed.withColumn(SPAN, F.greatest(place, F.lit(0)).cast("int"))
        parts = {
            True: placed.filter(~unlabelled),
            False: placed.filter(unlabelled).withColumn(UNLABELLED, F.lit(0)),
        }
    if not any(has_rows.values()):
        raise InputError(f"No row is left: {invalid}. Check the columns.")
    found: dict[bool, ReducedFrame] = {}
    for is_labelled, part in parts.items():
        if has_rows[is_labelled]:
            used = names if is_labelled else names._replace(label=UNLABELLED)
            known = next((one.scale for one in found.values()), scale)
            found[is_labelled] = reduce_frame(
                part,
                used,
                [SPAN],
                pos_label=pos_label if is_labelled else 1,
                scale=known if scale == AUTO else scale,
                drop_invalid=drop_invalid,
                allow_drop_share=1.0 if drop_invalid else allow_drop_share,
                name=name,
            )
            for fault in found[is_labelled].dropped.faults.values():
                invalid.add(fault)
    invalid.check_drop_share(allow_drop_share)
    first = next(iter(found.values()))
    counts = tuple(
        SpanCounts(
            *(
                found[is_labelled].counts.get((place,), NOTHING)
                if is_labelled in found
                else NOTHING
                for is_labelled in (True, False)
            )
        )
        for place in range(len(spans.starts))
    )
    positive = found[True].positive if True in found else None
    return SpansReduction(counts, invalid, positive, first.scale, young)


def _is_young(spans: Spans) -> Column:
    until = spans.mature_until
    return F.lit(False) if until is None else F.col(SECONDS) > until


def _has_label(frame: DataFrame, name: str) -> Column:
    found = labels(frame, name)
    if isinstance(frame.schema[name].dataType, StringType):
        return found.isNotNull() & ~F.trim(found).isin(*sorted(MISSING_WORDS))
    return found.isNotNull()


def _counted() -> tuple[Column, Column]:
    """How many rows there are, and one of them: the same in every run."""
    return F.count(F.lit(1)).alias("rows"), F.min(F.struct("row", "came")).alias("example")


def _faults(lines: list[dict[str, Any]], time: str) -> InvalidRows:
    invalid = InvalidRows(rows=sum(line["rows"] for line in lines))
    ordered = sorted(lines, key=lambda line: str(line["example"]["row"]))
    for fault, kind in ((MISSING, NO_TIME), (WRONG, NOT_A_TIME)):
        for line in ordered:
            if line["fault"] == fault:
                example = line["example"]
                value = example["came"] if fault == WRONG else None
                invalid.add(Fault(shown(time), kind, line["rows"], example["row"], value))
    return invalid


def _refuse_mixture(fine: list[dict[str, Any]], time: str) -> None:
    seen: dict[bool, tuple[int, Found]] = {}
    for line in fine:
        zoned = bool(line["zoned"])
        count, first = seen.get(zoned, (0, Found(None, line["example"]["came"])))
        seen[zoned] = (count + line["rows"], first)
    refuse_mixed_zones(shown(time), seen)


def _of_day(day: int) -> Column:
    return F.col(SECONDS).between(day * DAY, day * DAY + DAY - 1)


def _read(frame: DataFrame, time: str, *more: Column) -> DataFrame:
    """The time of each row, its fault, whether it has a zone, the row as an example, and more."""
    require(frame, [time])
    came = column(time).cast("string")
    is_missing = came.isNull() | F.trim(came).isin(*sorted(MISSING_WORDS))
    zoned = _zoned(frame, time)
    fault = F.when(is_missing, MISSING).when(F.col(SECONDS).isNull(), WRONG).otherwise(FINE)
    return with_seconds(frame, time).select(
        SECONDS,
        fault.alias("fault"),
        F.coalesce(zoned, F.lit(False)).alias("zoned"),
        came.alias("came"),
        example_row(frame).alias("row"),
        *more,
    )


def _zoned(frame: DataFrame, time: str) -> Column:
    kind = frame.schema[time].dataType
    if isinstance(kind, StringType):
        return F.regexp_extract(F.trim(column(time)), f"^{TIME}$", 9) != ""
    return F.lit(isinstance(kind, TimestampType))


def with_seconds(frame: DataFrame, time: str) -> DataFrame:
    """Add the seconds of each row, or null where there is no time."""
    kind, given = frame.schema[time].dataType, column(time)
    if isinstance(kind, DateType):
        seconds = F.unix_date(given) * F.lit(DAY)
    elif isinstance(kind, TimestampType):
        seconds = F.unix_seconds(given)
    elif isinstance(kind, TimestampNTZType):
        seconds = _clock(
            given.cast("date"), *(part(given) for part in (F.hour, F.minute, F.second))
        )
    elif isinstance(kind, StringType):
        seconds = _from_text(F.trim(given))
    elif isinstance(kind, NullType):
        seconds = F.lit(None)
    else:
        raise refuse_numbers(shown(time), kind.simpleString())
    within = once(seconds.cast("bigint"), lambda one: F.when(one.between(FIRST, LAST), one))
    return frame.withColumn(SECONDS, within)


def _clock(day: Column, hour: Column, minute: Column, second: Column) -> Column:
    """Seconds of a time without a zone: the zone of the session plays no part."""
    return F.unix_date(day).cast("bigint") * DAY + hour * 3600 + minute * 60 + second


def _from_text(text: Column) -> Column:
    """Seconds of a text. It is divided into day, hour, minute, second, sign and offset once."""
    whole = f"^{TIME}$"
    zone = F.regexp_extract(text, whole, 9)
    offset = F.regexp_replace(zone, "[^0-9]", "")  # nothing in Z or UTC
    sign = F.substring(zone, 1, 1)
    divided = F.split(F.regexp_replace(text, whole, "$1/$3/$5/$7"), "/")
    parts = F.concat(divided, F.array(sign, F.substring(offset, 1, 2), F.substring(offset, 3, 2)))
    return once(F.when(text.rlike(whole), parts), _seconds)


def _seconds(parts: Column) -> Column:
    def number(place: int) -> Column:
        return F.coalesce(F.get(parts, F.lit(place)).try_cast("int"), F.lit(0))

    hour, minute, second = number(1), number(2), number(3)
    is_clock = (hour < 24) & (minute < 60) & (second < 60)
    offset = number(5) * 3600 + number(6) * 60
    east = F.when(F.get(parts, F.lit(4)) == "-", -offset).otherwise(offset)
    day = F.get(parts, F.lit(0)).try_cast("date")
    return F.when(is_clock, _clock(day, hour, minute, second) - east)
