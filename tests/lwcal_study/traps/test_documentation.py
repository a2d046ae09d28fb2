"""Columns of the trap suite in the README's table."""

import pandas as pd
import pytest

from lwcal_study.traps.documentation import relative_losses
from lwcal_study.traps.output import RESULTS


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
    """The table is written without them."""
    assert list(relative_losses(tmp_path)) == []
