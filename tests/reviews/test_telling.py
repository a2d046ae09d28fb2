"""Reviewers whose labels judge a map."""

import numpy as np
import pytest

from lwcal.reviews.inferred import inferred_reviews
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import coded
from lwcal.reviews.telling import Telling, most_telling
from tests.reviews.hand_made import reviewer, summary
from tests.reviews.simulated import simulate

OPPOSITE = reviewer("Opp", (0.95, 0.97), (3, 3))
AIMLESS = reviewer("Zero", (0.01, 0.99), (3, 3))
GOOD = reviewer("Ann", (0.1, 0.05), (1, 2)), reviewer("Bob", (0.1, 0.12), (1, 2))


def test_opposite_and_aimless_reviewers_are_named():
    """By the upper ends of their intervals."""
    found = summary(*GOOD, OPPOSITE, AIMLESS, hard=0.0)
    assert OPPOSITE.contrast.high < 0.0 < AIMLESS.contrast.high
    assert found.warning.count("'Opp'") == found.warning.count("'Zero'") == 1
    assert summary(*GOOD, hard=0.0).warning is None


def test_of_many_such_reviewers_some_are_named():
    """A sentence stays short."""
    many = [reviewer(f"r{number}", (0.9, 0.9), (1, 9)) for number in range(7)]
    assert "'r2' and 4 more" in summary(*many, hard=0.0).warning


def test_the_labels_of_others_judge_the_map():
    """Those of a row weigh as much as the row."""
    rows = coded(as_opinions([[1, 1, 0], [0, None, 1], [None, None, 1]], ["Ann", "Bob", "Opp"]))
    found = Telling.of(summary(*GOOD, OPPOSITE))
    assert found.chosen.tolist() == [True, True, False]
    assert found.opinions(rows).opinions.tolist() == [2, 1, 0]
    assert found.weights(rows).tolist() == [1.5, 0.5, 0.0]


def test_reviewers_beyond_the_named_ones_are_the_last_group():
    """As in the posterior."""
    rows = coded(as_opinions([[1, 1, 0], [0, 1, 1]], ["Ann", "x", "y"]))
    found = Telling.of(summary(GOOD[0], reviewer("others", (0.9, 0.9), (2, 2))))
    assert found.weights(rows).tolist() == [2.0, 0.0]
    assert found.opinions(rows).reviewers.tolist() == [0, 0]


def test_nobody_with_a_positive_contrast_leaves_all():
    """Then none is better than another."""
    assert most_telling(np.array([-0.1, -0.5]), np.array([10.0, 10.0])).all()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_reviewer_who_always_says_the_same_is_judged_right(n_classes):
    """All of the doubt is about the share of the class."""
    held = []
    for seed in range(5):
        rows, truth, _ = simulate(700, n_classes, 3, seed=seed, opinions=3)
        rows.labels[rows.reviewers == 2] = 0
        found = inferred_reviews(rows).summary.reviewers[2]
        held.append(found.wrong.low <= (truth != 0).mean() <= found.wrong.high)
        assert found.contrast.high < 0.1
    assert sum(held) >= 4
