"""The parts of the Brier score: identity, signs, and parity with model-diagnostics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_diagnostics.scoring import SquaredError, decompose

from lwcal.metrics import brier, brier_decomposition
from tests.strategies import counts, rows, tied_scores

PARTS = ("miscalibration", "discrimination", "uncertainty")


@given(data=rows(both_classes=False))
def test_parts_add_up_to_the_brier_score(data):
    """MCB - DSC + UNC, and no part is negative."""
    y_prob, y_true = data
    found = brier_decomposition(y_true, y_prob)
    assert found.brier == pytest.approx(brier(y_true, y_prob), abs=1e-15)
    assert all(getattr(found, part) >= -1e-12 for part in PARTS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_parity_with_model_diagnostics(backend, seed, weighted):
    """The same three parts, on both sets of kernels."""
    rng = np.random.default_rng(seed)
    y_prob = np.round(rng.beta(0.8, 1.2, 500), [2, 3, 16][seed])
    y_true = (rng.random(500) < 0.1 + 0.7 * y_prob).astype(int)
    weight = rng.integers(1, 5, 500) if weighted else None
    theirs = decompose(y_true, y_prob, weights=weight, scoring_function=SquaredError())
    ours = brier_decomposition(y_true, y_prob, sample_weight=weight)
    for part in PARTS:
        assert getattr(ours, part) == pytest.approx(theirs[part][0], abs=1e-12), part


@given(data=st.data(), sample=rows(elements=tied_scores))
def test_an_increasing_map_moves_miscalibration_only(data, sample):
    """Discrimination and uncertainty see the order of the rows, not their values."""
    y_prob, y_true = sample
    weight = data.draw(counts(len(y_true)))
    before = brier_decomposition(y_true, y_prob, sample_weight=weight)
    after = brier_decomposition(y_true, y_prob**2 / 2, sample_weight=weight)
    assert after.discrimination == pytest.approx(before.discrimination, abs=1e-12)
    assert after.uncertainty == before.uncertainty


def test_a_constant_has_no_discrimination():
    """Only its distance from the base rate is left."""
    found = brier_decomposition([0, 1, 1, 1], [0.5] * 4)
    assert found.discrimination == pytest.approx(0)
    assert found.miscalibration == pytest.approx(0.25**2)
    assert found.uncertainty == pytest.approx(0.1875)
