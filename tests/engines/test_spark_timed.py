"""Texts of times on Spark: the seconds of the other engines, from a plan that stays small."""

import pytest
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.spark.timed import SECONDS, with_seconds
from lwcal.rows.times import parse_time

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


@pytest.mark.parametrize("filters", [1, 3])
def test_a_text_is_read_a_few_times_at_most(spark, filters):
    """Filters copy the expression of a column; an expression of copies would grow with each."""
    frame = with_seconds(spark.createDataFrame([("2024-01-31",)], "t string"), "t")
    for least in range(filters):
        frame = frame.filter(F.col(SECONDS) > least)
    plan = frame._jdf.queryExecution().optimizedPlan().toString()
    assert plan.count("regexp") <= 4 * (filters + 2)
