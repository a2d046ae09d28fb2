"""The consensus is an average over explanations, each with its own scaling and matrices."""

import numpy as np
import pytest

from lwcal.class_maps import ScalingMap
from lwcal.reviews.consensus import Explanation, truth_given_opinions
from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.opinion_likelihood import Emission
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import read_reviews
from lwcal.reviews.summarising import NEGLIGIBLE, summarise_reviews
from lwcal.reviews.uncertainty import Uncertainty
from tests.calibrators.test_reviewed import rated, rated_classes

SAME = ScalingMap(np.eye(2), np.zeros(2), 1e-12)
STEEP = ScalingMap(3.0 * np.eye(2), np.zeros(2), 1e-12)
CAREFUL = Emission(np.array([[[0.95, 0.05], [0.05, 0.95]]]))
CARELESS = Emission(np.array([[[0.6, 0.4], [0.4, 0.6]]]))
HALF = np.array([0.5, 0.5])


def rows_of(scores, said):
    """Rows of two classes."""
    return read_reviews(scores, as_opinions(said)).rows


def test_each_explanation_uses_its_own_scaling_and_matrices():
    """By hand: Bayes' rule for each, then the average."""
    rows = rows_of([0.3, 0.3], [[1, 1], [1, None]])
    expected = []
    for scaling, right in ((SAME, 0.95), (STEEP, 0.6)):
        prior = scaling(np.array([[0.7, 0.3]]))[0, 1]
        for_positive = prior * np.array([right**2, right])
        for_negative = (1 - prior) * np.array([(1 - right) ** 2, 1 - right])
        expected.append(for_positive / (for_positive + for_negative))
    views = [Explanation(0.25, SAME, CAREFUL), Explanation(0.75, STEEP, CARELESS)]
    found = truth_given_opinions(rows, views, HALF)
    np.testing.assert_allclose(found[:, 1], 0.25 * expected[0] + 0.75 * expected[1])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_a_reviewer_who_is_not_known_is_an_average_one():
    """The number after the last belongs to them."""
    matrices = np.array([CAREFUL.matrices[0], CARELESS.matrices[0]])
    rows = rows_of([0.5], [[None, None, 1]])
    shares = np.array([0.75, 0.25])
    view = [Explanation(1.0, SAME, Emission(matrices))]
    found = truth_given_opinions(rows, view, shares)
    assert found[0, 1] == pytest.approx(0.75 * 0.95 + 0.25 * 0.6)


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_explanations_are_all_hypotheses_that_are_not_negligible(make):
    """Their probabilities add up to 1, and there is more than one where the data cannot tell."""
    scores, _, said = make(150)
    rows = read_reviews(scores, as_opinions(said)).rows
    posterior = infer_reviews(rows)
    found = summarise_reviews(Uncertainty(posterior), rows).explanations
    assert len(found) == (posterior.probabilities >= NEGLIGIBLE).sum() > 1
    assert sum(one.probability for one in found) == pytest.approx(1.0)
    for one in found:
        assert len(one.emission.matrices) in (1, said.shape[1])
        assert one.scaling.n_classes == rows.n_classes
