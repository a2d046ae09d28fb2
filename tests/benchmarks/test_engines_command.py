"""The DuckDB benchmark runs, resumes a stopped run, and reports missed targets."""

import json

import benchmarks.engines as engines
import pytest
from benchmarks.engine_report import MANY, MEMORY, PROMISES, TIME
from benchmarks.engine_tasks import APPLY, COPY, REDUCE, SUM, TASKS
from benchmarks.results import Measurement, Results


def test_the_command_writes_its_pages_and_nothing_else(tmp_path, monkeypatch, capsys):
    """With few rows, one turn, and all tasks."""
    monkeypatch.setattr(engines, "SIZES", (2000, MANY))
    monkeypatch.setattr(engines, "TURNS", 1)
    work, out = tmp_path / "work", tmp_path / "out"
    about = tmp_path / "guide" / "large-data.md"
    about.parent.mkdir()
    about.write_text("before\n<!-- engines -->\nold\n<!-- end of engines -->\nafter\n")
    engines.main(["--quick", "--out", str(out), "--work", str(work)])
    page = (out / "engines.md").read_text(encoding="utf-8")
    for promise in PROMISES:
        assert f"| {promise.what} | {promise.describe_target()} | " in page
    for task in TASKS:
        assert f"| 2,000 | {task} | " in page
    assert "not measured at 100,000,000" in page
    assert "python benchmarks/engines.py --quick" in page
    assert str(tmp_path) not in page
    assert not work.exists()
    filled = about.read_text(encoding="utf-8")
    assert filled.startswith("before\n<!-- engines -->\n| 2,000 rows of Parquet | time |")
    assert filled.endswith("<!-- end of engines -->\nafter\n")
    assert "old" not in filled
    assert [path.name for path in out.iterdir()] == ["engines.md"]
    assert "reduce and fit" in capsys.readouterr().out


def test_a_stopped_run_is_resumed(tmp_path, monkeypatch):
    """It left one file per finished task, and these tasks do not run again."""
    monkeypatch.setattr(engines, "TURNS", 1)
    monkeypatch.setattr(engines, "run_in_new_process", lambda task, rows: pytest.fail(task))
    engines.make_rows(50, tmp_path)
    for task in TASKS:
        name = f"rows-50-{task.replace(' ', '-')}-0.json"
        (tmp_path / name).write_text(json.dumps({"seconds": 2.0, "bytes": 10}))
    results = engines.measure([50], tmp_path)
    assert results.value(TIME, "", 50, REDUCE) == 2.0
    assert results.value(MEMORY, "", 50, REDUCE) == 10


@pytest.mark.parametrize(("seconds", "verdict"), [(7.0, ": met"), (9.0, ": **missed**")])
def test_a_missed_target_is_called_missed(seconds, verdict, capsys):
    """At the number of rows of the target."""
    results = Results()
    for task, value in ((SUM, 1.0), (REDUCE, seconds), (COPY, 5.0), (APPLY, seconds + 0.5)):
        results.add(Measurement(TIME, "", MANY, task, value, "s", value, 3))
    for promise in PROMISES[:2]:
        assert promise.describe_measured(results).endswith(verdict)
    assert PROMISES[-1].describe_measured(results) == "not measured"


def test_a_task_that_fails_says_why(tmp_path):
    """The error contains the output of its process."""
    with pytest.raises(RuntimeError, match=r"(?s)sum of none\.parquet failed: .*No files found"):
        engines.run_in_new_process(SUM, tmp_path / "none.parquet")


def test_commands_are_described():
    """The description repeats the run."""
    whole = engines._parse(["--out", "x"])
    some = engines._parse(["--out", "x", "--max-rows", "1e7"])
    assert engines.describe_command(whole) == "make bench"
    assert "--max-rows 10000000" in engines.describe_command(some)
