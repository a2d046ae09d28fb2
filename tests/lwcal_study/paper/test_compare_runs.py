"""Two runs of the study are compared cell by cell."""

import pytest

from lwcal.errors import InputError
from lwcal_study.paper import tables
from lwcal_study.paper.compare_runs import changed_claims, comparison, largest_differences
from lwcal_study.paper.tested_claims import listed
from lwcal_study.paper.tested_claims.listed import CLAIMS
from tests.lwcal_study.paper.conftest import RESAMPLES


def test_a_run_does_not_differ_from_itself(artefact, monkeypatch):
    """No metric and no claim."""
    monkeypatch.setattr(tables, "N_RESAMPLES", RESAMPLES)
    lines = comparison(artefact, artefact).splitlines()
    assert lines[0] == "ece: largest difference in a cell 0.0e+00"
    assert lines[-1] == "claims with another outcome: none"


def test_the_largest_difference_is_found_in_any_order(results):
    """One cell moved, rows shuffled."""
    moved = results.main_results.copy()
    moved.loc[7, "brier"] += 0.25
    other = results._replace(main_results=moved.sample(frac=1.0, random_state=0))
    found = largest_differences(results, other)
    assert found["brier"] == pytest.approx(0.25)
    assert found.drop("brier").max() == 0


def test_a_claim_with_another_outcome_is_named(results, monkeypatch):
    """With both outcomes, and no claim whose outcome is the same."""
    monkeypatch.setattr(listed, "CLAIMS", CLAIMS[:2])

    def with_ece(value):
        frame = results.main_results.copy()
        frame.loc[frame["method"] == "LWCal", "ece"] = value
        return results._replace(main_results=frame)

    found = changed_claims(with_ece(0.0), with_ece(0.9))
    assert found == ["LWCal has the lowest mean ECE. (holds; does not hold)"]


def test_runs_with_other_cells_are_refused(results):
    """The message counts the rows and names the first."""
    fewer = results._replace(main_results=results.main_results.iloc[2:])
    with pytest.raises(InputError, match=r"main_results: 2 rows are in one run only, the first is"):
        largest_differences(results, fewer)
