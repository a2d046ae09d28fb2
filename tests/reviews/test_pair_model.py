"""The model of a pair in which one repeats the other."""

import numpy as np
import pytest
from benchmarks.near_copies import Kind

from lwcal.reviews import pair_model
from lwcal.reviews.pair_model import PairModel, in_bins
from tests.reviews.simulated import simulated_rows


@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_step_climbs(n_classes, monkeypatch):
    """As expectation-maximisation does, with checked rows among them."""
    rows = simulated_rows(300, n_classes, 3, seed=1, opinions=3, checked=0.1)
    model = PairModel(rows)
    monkeypatch.setattr(pair_model, "MOST_STEPS", 1)
    for pair in (None, model.pair(0, 2)):
        at, values = model.start()._replace(copied=0.5), []
        for _ in range(40):
            at = model.fit(at, pair)
            values.append(at.value)
        assert (np.diff(values) > -1e-9).all()
        assert (at.copied > 0.0) == (pair is not None)


def test_truth_and_errors_are_found():
    """Rates of three reviewers, one of whom repeats another on most rows."""
    rows = Kind(n=20_000, copied=0.8, errors=(0.2, 0.2)).draw(seed=0)
    model = PairModel(rows)
    found = model.fit(model.start()._replace(copied=0.5), model.pair(0, 1))
    assert found.copied == pytest.approx(0.8, abs=0.03)
    right = np.diagonal(found.matrices, axis1=1, axis2=2)
    np.testing.assert_allclose(right, 0.8, atol=0.05)
    np.testing.assert_allclose(found.truth.sum(axis=1), 1.0)


def test_bins_have_about_as_many_rows_and_keep_equal_scores_together():
    """Two classes, most of them negative."""
    rows = Kind(curve="rare").draw(seed=0)
    found = in_bins(rows)
    _, places = np.unique(found.scores, axis=0, return_inverse=True)
    sizes = np.bincount(places.ravel(), found.weights)
    assert 10 <= len(sizes) <= 14
    assert sizes.min() > 100
    assert found.n == rows.n
