"""From a mixture of labels to a base rate."""

import numpy as np
import pytest

from lwcal.noise.rates import RatePosterior, class_contamination
from lwcal.shift.base_rate import base_rate_from
from lwcal.shift.label_mixture import LabelMixture

RIGHT = RatePosterior.known((0.0, 0.0))


@pytest.mark.parametrize("base_rate", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("noise", [(0.0, 0.0), (0.1, 0.3), (0.3, 0.05)])
def test_known_rates_give_the_base_rate_behind_a_mixture(base_rate, noise):
    """The algebra of class-conditional noise, as the module of flip rates has it."""
    labelled = 0.4
    wrong_positive, wrong_negative = class_contamination(labelled, noise)
    share = (base_rate - wrong_negative) / (1.0 - wrong_positive - wrong_negative)
    known = RatePosterior.known(noise)
    found = base_rate_from(LabelMixture(share, 1e-4, 0.5, 0.0), labelled, known, estimated=False)
    assert found.estimate.value == pytest.approx(base_rate, abs=1e-4)
    assert found.estimate.low < base_rate < found.estimate.high
    assert found.probability == pytest.approx(1.0)


def test_a_share_outside_its_range_is_evidence_against_right_labels():
    """The interval stays within 0 and 1, and the probability is small."""
    found = base_rate_from(LabelMixture(-0.1, 0.02, 0.5, 0.0), 0.3, RIGHT, estimated=False)
    assert found.probability < 1e-6
    assert 0.0 <= found.estimate.low <= found.estimate.high < 0.02


@pytest.mark.parametrize("share", [-0.5, -3.0, -30.0, 1.5, 4.0, 31.0])
def test_a_share_far_outside_is_no_base_rate(share):
    """However far, nothing is made up: no probability, and at most the nearest end."""
    found = base_rate_from(LabelMixture(share, 0.02, 0.5, 0.0), 0.3, RIGHT, estimated=False)
    assert found.probability < 1e-12
    if found.estimate is not None:
        nearest = 0.0 if share < 0 else 1.0
        assert found.estimate == pytest.approx((nearest, nearest, nearest), abs=0.01)


def test_rates_at_which_no_row_is_positive_are_left_out():
    """No pair of rates is left if all are impossible."""
    mixture = LabelMixture(0.2, 0.02, 0.5, 0.0)
    impossible = RatePosterior.known((0.4, 0.1))
    assert base_rate_from(mixture, 0.3, impossible, estimated=False).estimate is None
    some = RatePosterior(np.array([[0.4, 0.1], [0.0, 0.0]]), np.array([0.5, 0.5]))
    found = base_rate_from(mixture, 0.3, some, estimated=False)
    assert found.estimate.value == pytest.approx(0.2, abs=1e-3)


def test_estimated_rates_may_be_too_high():
    """Then the base rate is lower, so the interval reaches further down."""
    rates = RatePosterior.known((0.1, 0.3))
    mixture = LabelMixture(0.0, 0.01, 0.5, 0.0)
    sure, unsure = (
        base_rate_from(mixture, 0.3, rates, estimated=estimated).estimate
        for estimated in (False, True)
    )
    assert unsure.low < sure.low / 3
    assert unsure.value == sure.value
