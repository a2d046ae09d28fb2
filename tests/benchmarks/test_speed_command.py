"""The speed benchmark runs and writes its tables. No test depends on the measured times."""

import csv
from pathlib import Path

import benchmarks.speed as speed
import benchmarks.timing as timing
import pytest
from benchmarks.data import KINDS, make_rows
from benchmarks.methods import APPLIERS, FITTERS, LWCAL, SKLEARN, pure_kernels
from benchmarks.promises import MANY, PROMISES
from benchmarks.results import FIT, Results
from benchmarks.timing import Timing

from lwcal import kernels


def test_the_command_writes_table_and_numbers(tmp_path, monkeypatch):
    """The smallest possible run writes two complete files, and nothing else."""
    monkeypatch.setattr(speed, "QUICK_BUDGET", 0.0)
    monkeypatch.setattr(speed, "QUICK_IMPORTS", 1)
    monkeypatch.setattr(timing, "FEWEST_TURNS", 1)
    monkeypatch.setattr(timing, "TURN_SECONDS", 0.0)
    folder = tmp_path / "new"
    speed.main(["--quick", "--max-rows", "2000", "--out", str(folder)])
    assert sorted(path.name for path in folder.iterdir()) == ["speed.csv", "speed.md"]
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
    expected |= {("fit", "continuous", "500", name) for name in speed.FEW_FITTED}
    expected |= {("import", "", "0", "lwcal")}
    assert expected <= found
    assert all(float(line["value"]) > 0 for line in lines if line["unit"] == "s")


def check_page(page):
    """Targets come first, then tables with a row for every kind of scores."""
    assert page.index("## Targets") < page.index("## Fitting")
    for promise in PROMISES:
        assert f"| {promise.what} | {promise.describe_target()} | " in page
    for kind in KINDS:
        assert page.count(f"| {kind} | 1,000 | ") == 3  # fitting, beta, applying
    assert "not measured at 10,000,000" in page
    assert "python benchmarks/speed.py --quick --max-rows 2000" in page


@pytest.mark.parametrize(("seconds", "verdict"), [(0.2, ": met"), (0.05, ": **missed**")])
def test_a_missed_target_is_called_missed(seconds, verdict, capsys):
    """The first target is a fit ten times as fast as scikit-learn's."""
    results = Results()
    results.add_timing(FIT, "continuous", MANY, LWCAL, Timing(0.01, 0.01, 3))
    results.add_timing(FIT, "continuous", MANY, SKLEARN, Timing(seconds, seconds, 3))
    assert PROMISES[0].describe_measured(results).endswith(verdict)
    assert PROMISES[-1].describe_measured(results) == "not measured"
    assert capsys.readouterr().out.count("\n") == 2  # each measurement is printed


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
    assert not speed.is_feasible(slow, results, 10_000, "continuous")
    assert speed.is_feasible(slow, results, 10_000, "161 values")
    assert not speed.is_feasible(slow, results, 10_000, "1,000 values")


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
