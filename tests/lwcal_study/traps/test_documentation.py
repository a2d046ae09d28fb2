"""Columns of the trap suite in the README's table."""

import json
from pathlib import Path

import pandas as pd
import pytest

from lwcal_study.traps.documentation import copy_page, relative_losses
from lwcal_study.traps.output import ENVIRONMENT, PAGE, RESULTS
from lwcal_study.traps.report import report

ROOT = Path(__file__).parents[3]


def test_losses_are_relative_to_the_raw_score(tmp_path):
    """As ratios of sums over the judged cells of each kind."""
    frame = pd.DataFrame(
        {
            "part": ["judged", "judged", "development"],
            "noise": ["clean", "clean", "clean"],
            "Raw": [0.5, 0.3, 0.1],
            "Platt": [0.3, 0.3, 9.0],
        }
    )
    frame.to_csv(tmp_path / RESULTS, index=False)
    found = relative_losses(tmp_path)
    assert list(found) == ["trap suite, clean labels"]
    assert found.loc["Platt"].tolist() == pytest.approx([0.75])
    assert found.loc["Raw"].tolist() == [1.0]


def test_a_suite_that_was_not_run_has_no_columns(tmp_path):
    """The table is written without them, and there is no page."""
    assert list(relative_losses(tmp_path)) == []
    copy_page(tmp_path, tmp_path / "pages")
    assert list(tmp_path.iterdir()) == []


def test_the_page_is_that_of_the_committed_results():
    """No number was edited by hand, and none is older than the results."""
    results, page = ROOT / "results" / "traps", ROOT / "docs" / "benchmarks" / PAGE
    run = json.loads((results / ENVIRONMENT).read_text(encoding="utf-8"))
    expected = report(pd.read_csv(results / RESULTS), run)
    assert page.read_text(encoding="utf-8") == expected
    assert (results / PAGE).read_text(encoding="utf-8") == expected


def test_the_page_is_copied(tmp_path):
    """To the folder of pages."""
    copy_page(ROOT / "results" / "traps", tmp_path)
    assert (tmp_path / PAGE).read_text(encoding="utf-8").startswith("# The trap suite")
