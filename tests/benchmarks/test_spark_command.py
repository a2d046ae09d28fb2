"""The Spark benchmark runs on a real cluster, and reports missed targets."""

from contextlib import contextmanager

import benchmarks.spark as spark_benchmark
import pytest
from benchmarks.results import Measurement, Results
from benchmarks.spark import APPLY, GROUP, PROMISES, REDUCE, SIZES, TIME


def test_the_command_writes_its_pages(tmp_path, monkeypatch, capsys, spark, spark_cluster):
    """With few rows, one turn, and all tasks, on the cluster of the tests."""

    @contextmanager
    def running():
        yield spark_cluster

    @contextmanager
    def session(cluster, **settings):
        yield spark

    monkeypatch.setattr(spark_benchmark, "cluster", running)
    monkeypatch.setattr(spark_benchmark, "session", session)
    monkeypatch.setattr(spark_benchmark, "SIZES", (2000, SIZES[-1]))
    monkeypatch.setattr(spark_benchmark, "WARM_UP", 0)
    monkeypatch.setattr(spark_benchmark, "TURNS", 1)
    about = tmp_path / "guide" / "large-data.md"
    about.parent.mkdir()
    about.write_text("before\n<!-- spark -->\nstale\n<!-- end of spark -->\nafter\n")
    spark_benchmark.main(["--max-rows", "2e3", "--out", str(tmp_path / "out")])
    page = (tmp_path / "out" / "spark.md").read_text(encoding="utf-8")
    for promise in PROMISES:
        assert f"| {promise.what} | {promise.describe_target()} | " in page
    assert "python benchmarks/spark.py --max-rows 2000" in page
    assert "not measured at 20,000,000" in page
    assert str(tmp_path) not in page
    filled = about.read_text(encoding="utf-8")
    assert filled.startswith("before\n<!-- spark -->\n|  | per row, on one core |")
    assert filled.endswith("<!-- end of spark -->\nafter\n")
    assert "stale" not in filled
    assert "The driver receives at most 2 x 2^20 lines" in filled
    assert "reduce, against" in capsys.readouterr().out


@pytest.mark.parametrize(("seconds", "verdict"), [(1.2, ": met"), (1.4, ": **missed**")])
def test_a_missed_target_is_called_missed(seconds, verdict, capsys):
    """At the number of rows of the target. The estimate is proportional to the time."""
    results = Results()
    for rows in SIZES:
        factor = rows / SIZES[-1]
        for task, value in ((GROUP, 1.0), (REDUCE, seconds), (APPLY, 3.6)):
            results.add(Measurement(TIME, "", rows, task, factor * value, "s", value, 3))
    assert PROMISES[0].describe_measured(results).endswith(verdict)
    found = spark_benchmark.estimate(results, sent=40.0)
    assert "| apply | 360 ns | 100 | 0.1 h |" in found  # 3.6 s for 2e7 rows on two cores
    assert "42 MB, and 4.2 TB in all" in found
