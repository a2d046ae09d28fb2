"""Errors within a true class, in the reading of the paper's class-conditional table."""

import numpy as np
import pytest
from hypothesis import given

from lwcal.metrics import class_gap, classwise_ece, ece, minority_ece
from tests.strategies import rows


def class_errors(y_true, y_prob):
    """ECE of P(class c) over the rows of class c, whose outcome is always 1."""
    of_true_class = np.where(y_true == 1, y_prob, 1 - y_prob)
    errors = []
    for c in (0, 1):
        own = of_true_class[y_true == c]
        errors.append(ece(np.ones(len(own), dtype=int), own))
    return errors


@given(data=rows())
def test_values_equal_binned_errors_within_each_class(data):
    """Bins make no difference, as the module says."""
    y_prob, y_true = data
    negative, positive = class_errors(y_true, y_prob)
    positive_is_rarer = y_true.sum() <= len(y_true) / 2
    assert classwise_ece(y_true, y_prob) == pytest.approx((negative + positive) / 2, abs=1e-12)
    assert class_gap(y_true, y_prob) == pytest.approx(abs(positive - negative), abs=1e-12)
    minority = positive if positive_is_rarer else negative
    assert minority_ece(y_true, y_prob) == pytest.approx(minority, abs=1e-12)


def test_the_rarer_class_is_found_by_weight():
    """Ties go to the positive class, and weights decide what is rare."""
    y_true, y_prob = [0, 1], [0.3, 0.6]
    assert minority_ece(y_true, y_prob) == pytest.approx(0.4)
    assert minority_ece(y_true, y_prob, sample_weight=[1, 2]) == pytest.approx(0.3)
    assert minority_ece(y_true, y_prob, sample_weight=[2, 1]) == pytest.approx(0.4)


def test_a_calibrated_score_has_class_errors():
    """The caveat in the module: these errors measure sharpness, not calibration alone."""
    y_true, y_prob = [0, 0, 0, 1, 0, 1, 1, 1], [0.25] * 4 + [0.75] * 4
    assert ece(y_true, y_prob) == 0
    assert classwise_ece(y_true, y_prob) == pytest.approx(0.375)
