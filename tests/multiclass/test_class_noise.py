"""The noise matrix with its intervals, and what is said of it."""

import json

import numpy as np
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.noise import ClassNoiseEstimate, NoiseEstimate
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows


def test_intervals_hold_the_rates_where_they_can_be_told():
    """40 tasks of 3 to 6 classes, even noise or to the next class, level 90%.

    Measured: all 180 rates can be told; their intervals hold 93% of the true rates and are 0.057
    wide, and the estimates are 0.013 off on average.
    """
    inside, width = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k, rate = 3 + seed % 4, rng.uniform(0.05, 0.3)
        noise = (even_noise if seed % 2 else next_noise)(k, rate)
        scores, _, labels = noisy_rows(2000, noise, seed, clarity=0.1)
        found = lwcal.estimate_noise(scores, labels, classes=range(k))
        for one in found.rates:
            if one.value is not None:
                inside.append(one.low <= rate <= one.high)
                width.append(one.high - one.low)
    assert len(inside) > 120
    assert np.mean(inside) > 0.85
    assert np.mean(width) < 0.1


def test_confused_pairs_are_named():
    """True class, label and share."""
    noise = np.eye(4)
    noise[2] = [0.3, 0.0, 0.7, 0.0]
    scores, _, labels = noisy_rows(4000, noise, clarity=0.1)
    found = lwcal.estimate_noise(scores, np.array(list("abcd"))[labels])
    assert [(pair.true, pair.label) for pair in found.confused] == [("c", "a")]
    assert "% of true 'c' are labelled 'a'" in found.sentence
    assert found.identified


def test_even_noise_confuses_no_pair():
    """Wrong labels that go anywhere pile up nowhere."""
    scores, _, labels = noisy_rows(4000, even_noise(4, 0.3), clarity=0.1)
    assert lwcal.estimate_noise(scores, labels).confused == ()


def test_hard_rows_identify_nothing():
    """No score is near 1, so no wrong label shows."""
    scores, _, labels = noisy_rows(3000, even_noise(4, 0.2), clarity=20.0)
    found = lwcal.estimate_noise(scores, labels)
    assert found.wrong.value is None
    assert found.unidentified == (0, 1, 2, 3)
    assert "too few clear cases" in found.sentence
    json.dumps(found.to_dict())


def test_a_class_without_clear_cases_is_named():
    """The model cannot tell the last two from each other."""
    scores, true, labels = noisy_rows(4000, np.eye(5), clarity=0.05)
    vague = scores.copy()
    vague[true > 2, 3:] = vague[true > 2, 3:].mean(axis=1, keepdims=True)
    found = lwcal.estimate_noise(vague, labels)
    assert found.unidentified == (3, 4)
    assert "Too few clear cases to estimate the rate of 3, 4." in found.sentence
    assert (found.rates[3].low, found.rates[3].high) == (0.0, 1.0)
    assert found.wrong.high >= 0.39  # two classes of five may be wrong


def test_the_share_of_all_wrong_labels_allows_for_classes_that_are_not_identified():
    """Half of a class without clear cases is missed, and nothing in the labels shows it.

    60 checked rows narrow the share again.
    """
    rng = np.random.default_rng(0)
    scores = np.c_[rng.beta(0.1, 0.1, 3000), np.zeros((3000, 2))]
    scores[:, 1] = 1.0 - scores[:, 0]
    scores[rng.random(3000) < 0.4] = [0.3, 0.1, 0.6]
    true = (rng.random((3000, 1)) > scores.cumsum(axis=1)).sum(axis=1)
    labels = np.where((true == 2) & (rng.random(3000) < 0.5), 0, true)
    wrong = np.mean(labels != true)
    found = lwcal.estimate_noise(scores, labels)
    assert found.unidentified == (2,)
    assert found.wrong.low <= wrong <= found.wrong.high
    assert f"If some are wrong, {found.wrong.interval} of all labels are." in found.sentence
    checked = np.where(np.arange(3000) < 60, true, np.nan)
    after = lwcal.diagnose(scores, labels, y_audited=checked, methods=[]).noise.wrong
    assert after.low <= wrong <= after.high < found.wrong.high


def test_two_columns_are_two_classes():
    """They have flip rates, as one column has."""
    scores, _, labels = noisy_rows(1500, even_noise(2, 0.2))
    both = lwcal.estimate_noise(scores, labels)
    one = lwcal.estimate_noise(scores[:, 1], labels)
    assert isinstance(both, NoiseEstimate)
    assert both.sentence == one.sentence


def test_a_known_matrix_has_no_interval():
    """What is told is not estimated."""
    scores, _, labels = noisy_rows(500, even_noise(3, 0.2))
    found = lwcal.estimate_noise(scores, labels, noise_matrix=even_noise(3, 0.2))
    assert isinstance(found, ClassNoiseEstimate)
    np.testing.assert_allclose(found.low, found.high)
    assert found.identified


def test_the_expected_matrix_counts_right_labels_too():
    """Averaged by the probability that every label is right."""
    scores, _, labels = noisy_rows(800, even_noise(3, 0.1))
    found = lwcal.estimate_noise(scores, labels)
    mixed = found.probability_clean * np.eye(3) + (1 - found.probability_clean) * found.matrix
    np.testing.assert_allclose(found.expected_matrix, mixed)
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0)
    assert np.all(found.low <= found.high)


def test_what_cannot_be_is_refused():
    """Before anything is fitted."""
    scores, _, labels = noisy_rows(50, even_noise(3, 0.1))
    with pytest.raises(ParameterError, match="give a noise_matrix"):
        lwcal.estimate_noise(scores, labels, noise_rates=(0.1, 0.1))
    with pytest.raises(InputError, match="the labels of the rows"):
        lwcal.estimate_noise(scores)
    with pytest.raises(ParameterError, match="one for each class"):
        lwcal.estimate_noise(scores, labels, prior_rates=[0.1, 0.2])
    with pytest.raises(ParameterError, match="noise_matrix alone"):
        lwcal.estimate_noise(scores, labels, noise_matrix=np.eye(3), prior_rates=[0.1] * 3)
    with pytest.raises(ParameterError, match="a column of scores for each class"):
        lwcal.estimate_noise(scores[:, 0], labels == 0, classes=[0, 1])
    with pytest.raises(ParameterError, match="probabilities of all classes"):
        lwcal.estimate_noise(scores, labels, scale="percent")
