"""The suite of several opinions on the command line: a run, a stopped run, and what it writes."""

import json

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid, provenance
from lwcal_study.leaderboard.opinions import run as runs
from lwcal_study.leaderboard.opinions.methods import methods_of
from lwcal_study.leaderboard.scores_file import read_scores
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS

from .conftest import COMMAND, make_tiny

CELLS = 2 + 2 + 1
"""Two kinds of simulated reviewers on two tasks, real people on one."""


def test_a_run_writes_everything(tiny, frame, monkeypatch):
    """Scores of every method, tables, picture, page, environment."""
    make_tiny(monkeypatch)
    sizes = [(INDEPENDENT, 2), (HARD, 2), (INDEPENDENT, 5), (HARD, 5), (RATERS, 2)]
    assert len(frame) == sum(len(methods_of(kind, k)) for kind, k in sizes)
    assert set(frame["kind"]) == {kind for kind, _ in grid.OPINION_KINDS.values()}
    assert set(frame["part"]) == {"judged"}
    assert (frame["failure"] == "").all()
    tables = {path.stem for path in (tiny / "tables").iterdir()}
    assert {"gap_two_classes", "gap_many_classes", "hours", "reviewers", "people"} <= tables
    assert (tiny / "figures" / "hours.svg").read_text().startswith("<?xml")
    environment = json.loads((tiny / "environment.json").read_text())
    assert environment["command"] == "lwcal leaderboard --quick --suite opinions"
    assert environment["cells"] == CELLS


def test_the_page_says_what_a_reader_needs(tiny):
    """Aims, minutes, picture, losses, what was not run, and that this was a quick run."""
    page = (tiny / "several-opinions.md").read_text()
    assert "QUICK RUN" in page
    assert "1 minute for a label of a reviewer, 5 minutes for one that an expert checks" in page
    assert "](figures/hours.svg)" in page
    assert "### Where Reviewed loses" in page
    assert "Not run: raters_word_positive" in page
    assert "Dawid-Skene was not run: crowd-kit was not installed." in page
    for line in ("gap closed, two classes, 100 rows twice | at least 0.35 |", "0.86 to 0.94 |"):
        assert line in page


def test_a_stopped_run_goes_on(tiny, monkeypatch):
    """Delete one cell: only that one is run, and all but its seconds are the same."""
    before = read_scores(tiny / "scores.parquet")
    cells = sorted(tiny.glob("cells/*/*.json"))
    assert len(cells) == CELLS
    cells[-1].unlink()
    ran = []
    original = runs.run_cell
    monkeypatch.setattr(runs, "run_cell", lambda cell: ran.append(cell) or original(cell))
    make_tiny(monkeypatch)
    assert run([*COMMAND, "--out", str(tiny)]) == 0
    assert [cell.name for cell in ran] == [cells[-1].stem]
    after = read_scores(tiny / "scores.parquet")
    assert after.drop(columns="seconds").equals(before.drop(columns="seconds"))


@pytest.mark.parametrize("other", ["classes", "natural"])
def test_it_does_not_mix_with_other_suites(tmp_path, capsys, other):
    """One line, before any work: their pages and methods differ."""
    assert run([*COMMAND, "--suite", other, "--out", str(tmp_path)]) == 2
    assert "run them one after the other" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_changed_way_is_a_new_study():
    """What decides the results is hashed, and what only writes about them is not."""
    hashed = {path.as_posix() for path in provenance._modules()}
    for name in ("opinions/reviewers.py", "leaderboard/opinions/ways.py"):
        assert any(path.endswith(f"lwcal_study/{name}") for path in hashed), name
    assert not any(path.endswith("leaderboard/opinions/report.py") for path in hashed)
