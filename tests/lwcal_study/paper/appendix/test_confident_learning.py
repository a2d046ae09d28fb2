"""Confident learning: the published rule, row by row, and what is done with suspected labels."""

import numpy as np
import pytest
from hypothesis import given

import lwcal
from lwcal_study.paper.appendix.confident_learning import (
    REPAIRS,
    ROUNDING,
    Cleaned,
    repaired_rows,
    suspected,
)
from tests.strategies import rows


def by_the_paper(scores, labels):
    """The definition of the confident joint, for one row after the other."""
    columns = [1 - scores, scores]
    thresholds = [columns[k][labels == k].mean() for k in (0, 1)]
    for row, label in enumerate(labels):
        reached = [k for k in (0, 1) if columns[k][row] >= thresholds[k] - ROUNDING]
        best = max((columns[k][row] for k in reached), default=None)
        counted = [k for k in reached if columns[k][row] == best]
        yield bool(counted) and label not in counted


@given(rows())
def test_suspicion_is_the_published_rule(drawn):
    """Rows that the confident joint counts for the other class only."""
    scores, labels = drawn
    assert suspected(scores, labels).tolist() == list(by_the_paper(scores, labels))


def test_flipped_labels_of_a_good_model_are_found():
    """All of them and no other, where scores are far apart; both repairs then give the truth."""
    truth = np.repeat([0, 1], 50)
    scores = np.where(truth == 1, 0.9, 0.1)
    labels = truth.copy()
    labels[[3, 4, 60]] = 1 - labels[[3, 4, 60]]
    assert np.flatnonzero(suspected(scores, labels)).tolist() == [3, 4, 60]
    np.testing.assert_array_equal(repaired_rows(scores, labels, "flip")[1], truth)
    assert len(repaired_rows(scores, labels, "filter")[1]) == 97


@pytest.mark.parametrize("repair", REPAIRS)
def test_a_repair_that_leaves_one_class_changes_nothing(repair):
    """The calibrator is then fitted to the labels as they are."""
    scores = np.full(5, 0.1)
    labels = np.array([0, 0, 0, 1, 1])
    assert set(repaired_rows(scores, labels, repair)[1]) == {0}
    found = Cleaned(lwcal.Isotonic(), repair).fit(scores, labels).predict(scores)
    assert found == pytest.approx(0.4)


@pytest.mark.parametrize("repair", REPAIRS)
def test_the_calibrator_is_fitted_to_the_repaired_rows(repair):
    """With the same parameters."""
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    labels = (rng.random(200) < 0.2 + 0.6 * scores).astype(int)
    found = Cleaned(lwcal.Isotonic(), repair).fit(scores, labels).predict(scores)
    wanted = lwcal.Isotonic().fit(*repaired_rows(scores, labels, repair)).predict(scores)
    np.testing.assert_array_equal(found, wanted)
    assert not np.array_equal(found, lwcal.Isotonic().fit(scores, labels).predict(scores))
