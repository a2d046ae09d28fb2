"""The best blend: no blend on the grid has a lower log loss."""

import numpy as np
from hypothesis import given

from lwcal import metrics
from lwcal_study.evaluation import PAPER_CLIP
from lwcal_study.paper.appendix.hindsight import best_blend
from tests.strategies import rows


def loss(y, probability):
    """Log loss of the study."""
    return metrics.nll(y, probability, clip=PAPER_CLIP)


@given(rows())
def test_the_best_blend_is_at_least_as_good_as_any_weight(drawn):
    """Also as both scores alone."""
    first, y = drawn
    second = first[::-1].copy()
    found = loss(y, best_blend(first, second, y))
    for weight in (0.0, 0.25, 0.5, 0.83, 1.0):
        assert found <= loss(y, weight * first + (1 - weight) * second) + 1e-12


def test_the_weight_can_be_inside():
    """Two scores that err in turns are best in the middle."""
    y = np.array([0, 1])
    first, second = np.array([0.05, 0.3]), np.array([0.7, 0.95])
    np.testing.assert_allclose(best_blend(first, second, y), (first + second) / 2)
