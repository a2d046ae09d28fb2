"""The benchmark of beliefs runs on development tasks only, and knowing more is worth more."""

import pytest

from benchmarks import beliefs
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.grid import SEEDS
from lwcal_study.real.cells import RealCell
from lwcal_study.real.tasks import REAL_TASKS


def test_no_judged_task_and_none_of_the_papers_seeds_is_used():
    """Whatever is learnt here may be used to choose methods."""
    work = list(beliefs.cells(quick=False))
    assert {suite for suite, _ in work} == set(beliefs.SUITES)
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
def test_what_is_told_are_the_injected_rates(cell, rates):
    """Of negatives, then of positives."""
    assert beliefs.true_rates(cell) == pytest.approx(rates)


def test_noise_by_instance_has_no_rates_to_tell():
    """They differ from row to row."""
    assert beliefs.true_rates(RealCell("wool_mroz", "Random Forest", "instance-low", 0)) is None


def test_the_command_fills_its_page(tmp_path, capsys):
    """Between the marks; on the paper's tasks, told rates help and clean labels help more."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{beliefs.BEGIN}\nlast year\n{beliefs.END}\nafter\n", encoding="utf-8")
    beliefs.main(["--quick", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "last year" not in text
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in text.splitlines()[4:10]}
    assert set(rows) == set(beliefs.ROWS.values())
    believed, told, clean = (
        float(rows[beliefs.ROWS[name]][0]) for name in ("NoiseAware", "told", "Platt, clean")
    )
    assert clean < told < believed < 1
    assert rows[beliefs.ROWS["told"]][2].strip() == ""
    assert "Slopes under noise" in capsys.readouterr().out
