"""Texts of times on Spark: the seconds of the other engines, from a plan that stays small."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.spark.timed import SECONDS, count_times, with_seconds
from lwcal.rows import time_counts
from lwcal.rows.faults import InvalidRows
from lwcal.rows.times import TimeReader, parse_time

TEXTS = [
    "2024-01-31",
    "2024-01-31 08",
    "2024-01-31T08:30",
    "2024-01-31 08:30:59.999999999",
    "2024-01-31T08:30:59Z",
    "2024-01-31 08:30:59 UTC",
    "2024-01-31T08:30:59.5+02:00",
    "2024-01-31T08:30:59-0930",
    "2024-01-31T08:30:59+14",
    "1969-12-31T23:59:59.5",
    "0001-01-01",
    "9999-12-31T23:59:59",
    "2024-02-30",
    "2024-01-31T24:00",
    "2024-01-31T08:60",
    "2024-01-31T08:30:60",
    "31/01/2024",
    "2024/01/31",
    "2024-01-31/08/30/00",
    "20240131",
    "soon",
    "",
]


def test_texts_have_the_seconds_of_python(spark):
    """Whether they are times or not."""
    frame = spark.createDataFrame([(f" {text} ",) for text in TEXTS], "t string")
    found = [row[SECONDS] for row in with_seconds(frame, "t").select(SECONDS).collect()]
    times = [parse_time(text) for text in TEXTS]
    assert dict(zip(TEXTS, found, strict=True)) == {
        text: time and time.seconds for text, time in zip(TEXTS, times, strict=True)
    }


def test_dates_and_timestamps_have_the_seconds_of_memory(spark, tmp_path):
    """With and without a zone; and the rows of each day are counted."""
    when = pd.date_range("2024-02-28T21:50:00.25", periods=300, freq="13min")
    times = {"plain": when, "zoned": when.tz_localize("Europe/Berlin"), "date": when.date}
    rows = pa.table(times)
    pq.write_table(rows, tmp_path / "rows.parquet")
    frame = given = spark.read.parquet(str(tmp_path / "rows.parquet"))
    for name in times:
        frame = with_seconds(frame, name).withColumnRenamed(SECONDS, f"{name}_seconds")
    found = frame.toArrow()
    for name in times:
        expected, bad = TimeReader(name).read(rows[name], 0, InvalidRows())
        assert bad is None
        np.testing.assert_array_equal(found[f"{name}_seconds"], expected)
    days, counts = count_times(given, "zoned"), time_counts.count_times([rows], "zoned")
    np.testing.assert_equal(days._asdict(), counts._asdict())


@pytest.mark.parametrize("filters", [1, 3])
def test_a_text_is_read_a_few_times_at_most(spark, filters):
    """Filters copy the expression of a column; an expression of copies would grow with each."""
    frame = with_seconds(spark.createDataFrame([("2024-01-31",)], "t string"), "t")
    for least in range(filters):
        frame = frame.filter(F.col(SECONDS) > least)
    plan = frame._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("regexp") <= 4 * (filters + 2)
