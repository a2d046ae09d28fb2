"""New scores as a mixture of those with negative and with positive labels."""

import numpy as np
import pytest

from lwcal.reference import Reference
from lwcal.shift.label_mixture import fit_mixture
from lwcal.table import ScoreTable
from tests.shift.simulated import flipped, rows


def mixture_of(rng, base_rate, *, n=4000, moved=0.0, noise=(0.0, 0.0), fitted_rate=0.3):
    """The mixture that explains new scores, from a fit at another base rate."""
    scores, truth = rows(rng, n, fitted_rate)
    reference = Reference.of(ScoreTable.from_arrays(scores, flipped(rng, truth, *noise)))
    new, _ = rows(rng, n, base_rate, moved=moved)
    return fit_mixture(reference, reference.counts(new, np.ones(n)))


@pytest.mark.parametrize("base_rate", [0.03, 0.3, 0.9])
def test_the_share_is_the_base_rate_if_labels_are_right(base_rate):
    """Within four standard errors, and with a standard error of the right size."""
    found = [mixture_of(np.random.default_rng(seed), base_rate) for seed in range(60)]
    deviations = np.array([(one.share - base_rate) / one.error for one in found])
    assert np.abs(deviations).max() < 4.5
    assert 0.7 < deviations.std() < 1.4
    assert abs(deviations.mean()) < 0.6


def test_wrong_labels_move_the_share_out_of_its_range():
    """With a third of the labels wrong, few true positives are fewer than any labels say."""
    found = mixture_of(np.random.default_rng(0), 0.02, noise=(0.3, 0.3))
    assert found.share < -3.0 * found.error
    assert found.p_value > 0.01


def test_false_alarms_are_as_rare_as_the_level_says():
    """At 5%, whatever the base rate and the noise."""
    values = [
        mixture_of(np.random.default_rng(seed), rate, noise=noise).p_value
        for seed in range(50)
        for rate, noise in [(0.03, (0.0, 0.0)), (0.5, (0.2, 0.1))]
    ]
    assert np.mean(np.array(values) < 0.05) < 0.12


def test_scores_that_moved_within_a_class_are_found():
    """The larger the move, the larger the distance."""
    found = [mixture_of(np.random.default_rng(1), 0.1, moved=moved) for moved in (0.0, 0.3, 0.8)]
    distances = [one.distance for one in found]
    assert distances == sorted(distances)
    assert found[0].p_value > 0.01 > found[1].p_value > found[2].p_value


def test_labels_that_say_nothing_leave_any_share_possible():
    """Equal scores of both labels: the error is infinite."""
    same = np.array([10.0, 20.0, 30.0])
    reference = Reference(np.array([0.3, 0.6]), np.array([0.1, 0.4, 0.8]), same, same)
    assert fit_mixture(reference, np.array([5.0, 10.0, 15.0])).error == np.inf


def test_few_rows_are_compared_in_few_groups():
    """With one group there is nothing to test."""
    reference = Reference.of(ScoreTable.from_arrays([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1]))
    found = fit_mixture(reference, reference.counts(np.array([0.15, 0.8]), np.ones(2)))
    assert found.p_value == 1.0
    assert 0.0 < found.share < 1.0
