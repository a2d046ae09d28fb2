"""The speed benchmark runs and writes its tables. No test depends on the measured times."""

import csv
from contextlib import suppress
from pathlib import Path

import benchmarks.speed as speed
import benchmarks.timing as timing
import numpy as np
import pytest
from benchmarks.data import KINDS, make_checked_rows, make_rows
from benchmarks.methods import (
    APPLIERS,
    AUDITED,
    AUTO,
    FITTERS,
    GATED,
    LWCAL,
    NOISE_AWARE,
    REVIEWED,
    SORT,
    pure_kernels,
)
from benchmarks.report import why_missed
from benchmarks.results import FIT, SEGMENTS, Results
from benchmarks.targets import TARGETS
from benchmarks.timing import Timing

from benchmarks import commands, fitting, grid, jobs, noise_models, segments, threads
from lwcal import kernels
from tests.benchmarks.made_up import grid_results

FILES = ["speed.csv", "speed.md", "speed.svg"]


@pytest.fixture
def one_run(monkeypatch):
    """Let every function run only once."""
    monkeypatch.setattr(timing, "FEWEST_TURNS", 1)
    monkeypatch.setattr(timing, "TURN_SECONDS", 0.0)


@pytest.mark.usefixtures("one_run")
def test_the_command_writes_table_numbers_and_picture(tmp_path, monkeypatch):
    """The smallest possible run writes three complete files, and nothing else."""
    for name in ("QUICK_BUDGET", "QUICK_GRID_BUDGET"):
        monkeypatch.setattr(speed, name, 0.0)
    monkeypatch.setattr(speed, "QUICK_IMPORTS", 1)
    folder = tmp_path / "new"
    with suppress(SystemExit):  # one run at a busy moment may be slower than scikit-learn
        speed.main(["--quick", "--max-rows", "2000", "--out", str(folder)])
    assert sorted(path.name for path in folder.iterdir()) == FILES
    numbers = (folder / "speed.csv").read_text(encoding="utf-8")
    page = (folder / "speed.md").read_text(encoding="utf-8")
    check_numbers(list(csv.DictReader(numbers.splitlines())))
    check_page(page)
    for text in (numbers, page):
        assert str(tmp_path) not in text
        assert str(Path.cwd()) not in text


def check_numbers(lines):
    """One line per measurement, for every method and kind of scores."""
    found = {(line["task"], line["scores"], line["rows"], line["contender"]) for line in lines}
    expected = {("fit", kind, "1000", fitter.name) for kind in KINDS for fitter in FITTERS}
    expected |= {("apply", kind, "1000", name) for kind in KINDS for name in APPLIERS}
    expected |= {
        ("fit, all sizes", "continuous", str(rows), name)
        for rows in grid.within(0, 2000)
        for name in grid.METHODS
    }
    expected |= {("fit with a noise model", "continuous", "500", n) for n in (NOISE_AWARE, AUTO)}
    both = (fitting.ONE_OF_ARRAY, fitting.ONE_OF_LIST)
    expected |= {("apply to one score", "continuous", "1", name) for name in both}
    expected |= {("evaluate", "continuous", "2000", name) for name in (jobs.METRICS, SORT)}
    expected |= {("write a report", "continuous", "2000", jobs.PAGE)}
    both = (threads.EIGHT_THREADS, threads.TWO_PROCESSES)
    expected |= {("fit eight tables", "continuous", "2000", name) for name in both}
    expected |= {("import", "", "0", "lwcal")}
    expected |= {("print the help", "", "0", n) for n in (commands.LWCAL_HELP, commands.IMPORTS)}
    both = (commands.LWCAL_APPLY, commands.DUCKDB)
    expected |= {("apply to a CSV file", "", "1000", name) for name in both}
    assert expected <= found
    assert all(float(line["value"]) > 0 for line in lines if line["unit"] == "s")


def check_page(page):
    """Targets come first, then tables with a row for every kind of scores."""
    assert page.index("## Targets") < page.index("](speed.svg)") < page.index("## Fitting\n")
    for target in TARGETS:
        assert f"| {target.what} | {target.describe_target()} | " in page
    for rows in grid.within(0, 2000):
        assert page.count(f"\n| {rows:,} | ") == (2 if rows == 1000 else 1)  # memory has 1,000
    for kind in KINDS:
        assert page.count(f"| {kind} | 1,000 | ") == 3  # fitting, beta, applying
    assert "not measured at 10,000,000" in page
    assert "python benchmarks/speed.py --quick --max-rows 2000" in page


def run_of(monkeypatch, results):
    """Let the command find these results instead of measuring."""
    monkeypatch.setattr(speed, "measure", lambda max_rows, quick: results)


def test_a_run_behind_scikit_learn_fails_after_everything_was_written(
    tmp_path, monkeypatch, capsys
):
    """The exit code is 1, and standard error has one line for each size that is slower."""
    slow = {(3_000, GATED): 50.0, (100, LWCAL): 25.0}
    run_of(monkeypatch, grid_results(faster=20.0, slow=slow))
    with pytest.raises(SystemExit) as stopped:
        speed.main(["--out", str(tmp_path)])
    assert stopped.value.code == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "LWCal fit, 100 rows",
        "GatedLWCal fit, 3,000 rows",
    ]
    page = (tmp_path / "speed.md").read_text(encoding="utf-8")
    assert "| 3,000 | " in page
    assert "| **0.40** |" in page


def test_missed_targets_alone_do_not_fail(tmp_path, monkeypatch, capsys):
    """Twice as fast as scikit-learn misses every target, and is not slower."""
    run_of(monkeypatch, grid_results(faster=2.0))
    speed.main(["--out", str(tmp_path)])
    said = capsys.readouterr()
    assert said.err == ""
    assert said.out.count("**missed**") == 12
    page = (tmp_path / "speed.md").read_text(encoding="utf-8")
    reasons = page.partition("## Why targets are missed")[2].partition("\n## ")[0]
    assert "- LWCal fit, 200 to 1,000 rows, against scikit-learn's" in reasons
    assert "Isotonic fit" not in reasons  # it fits only once


def test_without_a_missed_target_there_are_no_reasons():
    """Nothing is explained that is true."""
    assert why_missed(grid_results(faster=20.0)) == []


def test_the_kernels_are_put_back():
    """The numpy kernels are in use only inside of the block."""
    before = kernels.isotonic
    with pure_kernels():
        assert kernels.isotonic is kernels.pure.isotonic
    assert kernels.isotonic is before


def test_slow_fits_are_skipped(capsys):
    """Judging by fewer rows: a minute is too long, a second is not, an unknown time is."""
    slow = next(fitter for fitter in FITTERS if fitter.may_be_slow)
    results = Results()
    results.add_timing(FIT, "continuous", 1_000, slow.name, Timing(6.0, 6.0, 1))
    results.add_timing(FIT, "161 values", 1_000, slow.name, Timing(0.1, 0.1, 3))
    assert not fitting.is_feasible(slow, results, 10_000, "continuous")
    assert fitting.is_feasible(slow, results, 10_000, "161 values")
    assert not fitting.is_feasible(slow, results, 10_000, "161 values", limit=0.5)
    assert not fitting.is_feasible(slow, results, 10_000, "1,000 values")


def test_slow_segments_are_skipped(capsys):
    """Judging by the square of a tenth of the segments; the smallest number always runs."""
    results = Results()
    assert segments.is_feasible(results, 10)
    assert not segments.is_feasible(results, 100)
    results.add_timing(SEGMENTS, "continuous", 20_000, segments.SHARED, Timing(0.1, 0.1, 3))
    results.add_timing(SEGMENTS, "continuous", 200_000, segments.SHARED, Timing(0.3, 0.3, 3))
    assert segments.is_feasible(results, 100)
    assert not segments.is_feasible(results, 1_000)


@pytest.mark.usefixtures("one_run")
def test_segments_are_measured_from_their_rows(monkeypatch, capsys):
    """Alone, and borrowing from all rows as long as that is fast."""
    monkeypatch.setattr(segments, "ROWS_EACH", 50)
    monkeypatch.setattr(segments, "RUN_LIMIT", 0.0)
    results = Results()
    segments.measure_segments(results, 5_000, budget=0.0)
    found = [(m.rows, m.contender) for m in results]
    assert found == [
        (500, SORT), (500, segments.ALONE), (500, segments.SHARED),
        (5_000, SORT), (5_000, segments.ALONE),
    ]  # fmt: skip
    limit = results.value(SEGMENTS, "continuous", 500, SORT) + 10 * 50e-6
    time = results.value(SEGMENTS, "continuous", 500, segments.ALONE)
    assert segments.excess(results, 500, segments.ALONE) == pytest.approx(time / limit)


@pytest.mark.usefixtures("one_run")
def test_noise_models_of_all_kinds_are_timed(capsys, monkeypatch, one_run):
    """The number of rows limits what runs."""
    monkeypatch.setattr(noise_models, "CLASSES", ((300, 3), (6_000, 3)))
    monkeypatch.setattr(noise_models, "REVIEWED_ROWS", 400)
    results = Results()
    noise_models.measure_noise_models(results, 5_000, budget=0.0)
    assert [(m.scores, m.rows, m.contender) for m in results] == [
        ("continuous", 500, NOISE_AWARE),
        ("continuous", 500, AUTO),
        ("continuous", 5_000, AUDITED),
        ("3 classes", 300, NOISE_AWARE),
        ("50 reviewers", 400, REVIEWED),
    ]


def test_checked_rows_are_true():
    """The same rows as elsewhere; a fifth of the labels contradicts the truth."""
    scores, labels, truths = make_checked_rows(70_000, 69_000)
    assert all(
        np.array_equal(*pair)
        for pair in zip((scores, labels), make_rows(70_000, "continuous"), strict=True)
    )
    checked = truths[:69_000]
    assert np.isnan(truths[69_000:]).all()
    assert np.mean(checked != labels[:69_000]) == pytest.approx(0.2, abs=0.01)
    assert np.mean(checked[scores[:69_000] > 0.9]) > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_seeded(kind):
    """The same rows every time, with the stated number of distinct scores."""
    scores, labels = make_rows(20_000, kind)
    again, _ = make_rows(20_000, kind)
    assert (scores == again).all()
    assert len(set(scores.tolist())) == (KINDS[kind] or 20_000)
    assert scores.min() >= 0
    assert scores.max() <= 1
    assert set(labels.tolist()) == {0, 1}


def test_too_few_rows_are_refused(capsys):
    """The smallest size has 1,000 rows."""
    with pytest.raises(SystemExit):
        speed.main(["--max-rows", "10", "--out", "unused"])
    assert "at least 1,000" in capsys.readouterr().err
