"""Known flip rates that the labels contradict are refused, or said to be contradicted."""

import numpy as np
import pytest

from lwcal import NoiseAware, diagnose
from lwcal.errors import InputError


def rows(share, n=2000):
    """Scores, and labels of which this share is positive."""
    rng = np.random.default_rng(0)
    scores = np.clip(rng.beta(1.0, 1.0 / share - 1.0, n), 1e-6, 1.0 - 1e-6)
    return scores, (rng.random(n) < scores).astype(int)


@pytest.mark.parametrize("rates", [(0.3, 0.1), (0.0, 0.95)])
def test_too_few_or_too_many_positive_labels_are_refused(rates):
    """At least r0 of all rows are labelled positive, and at least r1 negative."""
    scores, labels = rows(0.1)
    with pytest.raises(InputError, match="a share of positive labels from"):
        NoiseAware(noise_rates=rates).fit(scores, labels)
    with pytest.raises(InputError, match="a share of positive labels from"):
        diagnose(scores, labels, calibrator=NoiseAware(noise_rates=rates))


def test_chance_may_carry_a_share_beyond_its_limit():
    """A rate of 2% and 1.7% of positive labels in 1,000 rows go together."""
    scores, labels = np.linspace(0.001, 0.03, 1000), np.arange(1000) % 59 == 0
    assert NoiseAware(noise_rates=(0.02, 0.0)).fit(scores, labels).n_ == 1000


def test_a_corrected_loss_below_zero_is_a_contradiction():
    """Right labels of a sharp score cannot have lost 30% of each class."""
    rng = np.random.default_rng(1)
    sharp = rng.beta(0.3, 0.3, 2000)
    labels = (rng.random(2000) < sharp).astype(int)
    found = diagnose(sharp, labels, calibrator=NoiseAware(noise_rates=(0.3, 0.3))).recommendation
    assert found.action == "audit"
    assert found.calibrator == "identity"
    assert "contradict this noise" in found.reason
