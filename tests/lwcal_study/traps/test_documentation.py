"""The page says what the committed run measured."""

from pathlib import Path

import pandas as pd
import pytest

from lwcal_study.traps.documentation import documentation_page, read_results, relative_losses
from lwcal_study.traps.judging import METHODS
from lwcal_study.traps.summary import judged

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results" / "traps"


def test_the_page_is_that_of_the_committed_results():
    """No number was edited by hand, and none is older than the results."""
    page = ROOT / "docs" / "benchmarks" / "traps.md"
    assert page.read_text(encoding="utf-8") == documentation_page(RESULTS)


def test_the_committed_run_is_a_whole_one():
    """Both parts, both kinds of labels, every method, at least 30 tasks."""
    frame = judged(read_results(RESULTS))
    assert set(frame["part"]) == {"development", "judged"}
    assert set(frame["noise"]) == {"clean", "flips"}
    assert set(METHODS) < set(frame.columns)
    assert frame["task"].nunique() >= 30


def test_losses_are_relative_to_the_raw_score():
    """As ratios of sums over the judged cells of each kind."""
    frame = pd.DataFrame(
        {
            "part": ["judged", "judged", "development"],
            "noise": ["clean", "clean", "clean"],
            "Raw": [0.5, 0.3, 0.1],
            "Platt": [0.3, 0.3, 9.0],
        }
    )
    found = relative_losses(frame)
    assert list(found) == ["trap suite, clean labels"]
    assert found.loc["Platt"].tolist() == pytest.approx([0.75])
    assert found.loc["Raw"].tolist() == [1.0]
