"""The reading of opinions in which reviewers make the same mistakes and the scores are right."""

import numpy as np
import pytest

from lwcal.diagnosis.right_scores import Explained
from lwcal.diagnosis.shared_mistakes import right_if_mistakes_are_shared
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import read_reviews

N = 1500


def opinions(rates, *, copied=0.0, reviewers=2, checks=0):
    """Rows of right scores, labelled by reviewers with one error rate."""
    rng = np.random.default_rng(4)
    scores = rng.beta(0.6, 0.6, N)
    truth = rng.random(N) < scores
    said = truth[:, None] ^ (rng.random((N, reviewers)) < rates)
    repeats = rng.random(N) < copied
    said[repeats, 1] = said[repeats, 0]
    known = np.where(np.arange(N) < checks, truth.astype(float), np.nan)
    return read_reviews(scores, as_opinions(said.astype(int)), y_audited=known).rows


def follow(rows):
    """Labels with what a map that follows them says of their rows."""
    scores = rows.scores[rows.rows]
    return Explained(scores, lines(scores), rows.labels, rows.weights[rows.rows] / 2.0)


def lines(scores):
    """A map to the share of labels, a quarter of which are wrong."""
    positive = 0.25 + 0.5 * scores[:, 1]
    return np.stack([1.0 - positive, positive], axis=1)


@pytest.mark.parametrize("checks", [0, 40])
def test_copied_labels_of_right_scores_fit_the_reading(checks):
    """Checks confirm it, and count in full."""
    rows = opinions(0.25, copied=0.9, checks=checks)
    found = right_if_mistakes_are_shared(rows, follow(rows), lines, np.eye(2))
    assert found.flip_rates == pytest.approx((0.25, 0.25), abs=0.05)
    assert found.is_better == (checks > 0)


def test_contradictions_that_need_more_wrong_labels_rule_it_out():
    """Where a quarter of the labels is wrong, right scores cannot need fewer."""
    rows = opinions(0.25)
    few = Explained(rows.scores, rows.scores, (rows.scores[:, 1] > 0.5).astype(int), rows.weights)
    assert right_if_mistakes_are_shared(rows, few, lambda scores: scores, np.eye(2)) is None


def test_three_reviewers_would_show_a_copy():
    """So the opinions are taken as they are."""
    rows = opinions(0.25, copied=0.9, reviewers=3)
    assert right_if_mistakes_are_shared(rows, follow(rows), lines, np.eye(2)) is None


def test_rows_that_are_all_checked_need_no_reading():
    """They say themselves how many labels are wrong."""
    rows = opinions(0.25, checks=N)
    assert right_if_mistakes_are_shared(rows, follow(rows), lines, np.eye(2)) is None
