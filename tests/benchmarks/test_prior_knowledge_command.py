"""The benchmark uses development tasks only, and more knowledge gives lower loss."""

import joblib
import pytest

from benchmarks import prior_knowledge
from lwcal_study.leaderboard import grid
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.grid import SEEDS
from lwcal_study.real.cells import RealCell
from lwcal_study.real.tasks import REAL_TASKS


def test_no_judged_task_and_none_of_the_papers_seeds_is_used(monkeypatch):
    """Results of this benchmark may be used to choose methods.

    No task is loaded for its size: as if all were small, each is split more often, not less.
    """
    monkeypatch.setattr(grid, "task_size", lambda name: 0)
    work = list(prior_knowledge.cells(quick=False))
    assert {suite for suite, _ in work} == set(prior_knowledge.SUITES)
    for _, cell in work:
        if isinstance(cell, Cell):
            assert cell.seed not in SEEDS
        else:
            assert REAL_TASKS[cell.task].part == "development"


@pytest.mark.parametrize(
    ("cell", "rates"),
    [
        (Cell("Wine Class 0", "Random Forest", "symmetric", 0.2, 101), (0.2, 0.2)),
        (Cell("Wine Class 0", "Random Forest", "asymmetric", 0.2, 101), (0.07, 0.25)),
        (RealCell("wool_mroz", "Random Forest", "missed-low", 0), (0.02, 0.2)),
        (RealCell("wool_mroz", "Random Forest", "clean", 0), (0.0, 0.0)),
    ],
)
def test_known_rates_are_the_injected_rates(cell, rates):
    """Of negatives, then of positives."""
    assert prior_knowledge.true_rates(cell) == pytest.approx(rates)


def test_instance_dependent_noise_has_no_rates():
    """They differ from row to row."""
    assert (
        prior_knowledge.true_rates(RealCell("wool_mroz", "Random Forest", "instance-low", 0))
        is None
    )


FEW = ("Breast Cancer", "Digits High", "Synthetic Overlap", "Synthetic Imbalance")
"""Some of the paper's tasks."""


def test_the_command_fills_its_page(tmp_path, capsys, monkeypatch):
    """Between the marks; on the paper's tasks, known rates help and clean labels help more.

    One rate of noise on a few tasks, and one real task, in this process: the order of the three
    methods is the same as on all, and every suite has cells.
    """
    monkeypatch.setattr(prior_knowledge, "LOADERS", FEW)
    monkeypatch.setattr(prior_knowledge, "RATES", (0.0, 0.3))
    monkeypatch.setattr(grid, "QUICK_TASKS", ("wool_mroz",))
    page = tmp_path / "page.md"
    page.write_text(
        f"before\n{prior_knowledge.BEGIN}\nlast year\n{prior_knowledge.END}\nafter\n",
        encoding="utf-8",
    )
    with joblib.parallel_config(backend="sequential"):
        prior_knowledge.main(["--quick", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "last year" not in text
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in text.splitlines()[4:10]}
    assert set(rows) == set(prior_knowledge.ROWS.values())
    estimated, known, clean = (
        float(rows[prior_knowledge.ROWS[name]][0])
        for name in ("NoiseAware", "known rates", "Platt, clean")
    )
    assert clean < known < estimated < 1
    assert rows[prior_knowledge.ROWS["known rates"]][2].strip() == ""
    assert "Slopes under class-dependent noise" in capsys.readouterr().out
