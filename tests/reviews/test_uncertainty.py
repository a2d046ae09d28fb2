"""Draws of error rates."""

import numpy as np
import pytest
from scipy.special import logit

from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.uncertainty import Uncertainty
from tests.reviews.simulated import simulated_rows


@pytest.mark.parametrize("n_classes", [2, 3])
def test_draws_of_rates_have_the_rates_of_the_fit_as_their_means(n_classes):
    """Also for reviewers with few labels; normal log-odds would have means far above them."""
    rows = simulated_rows(60, n_classes, 6, seed=1)
    found = Uncertainty(infer_reviews(rows))
    plain = found.posterior.judged[0]
    drawn = found.of(plain, 4000, np.random.default_rng(0)).rates
    fitted = 1.0 - np.diagonal(plain.fit.emission.matrices, axis1=1, axis2=2)
    np.testing.assert_allclose(drawn.mean(axis=0), fitted, atol=0.02)
    assert ((drawn >= 0.0) & (drawn <= 1.0)).all()


def test_less_information_gives_wider_intervals():
    """And leaves the ranks of the draws as they are."""
    rows = simulated_rows(200, 2, 3, seed=2)
    found = Uncertainty(infer_reviews(rows))
    plain = found.posterior.judged[0]
    all_of_it, half = (
        found.of(plain, 500, np.random.default_rng(0), counted).rates for counted in (1.0, 0.5)
    )
    assert (half.std(axis=0) > all_of_it.std(axis=0)).all()
    np.testing.assert_array_equal(half.argsort(axis=0), all_of_it.argsort(axis=0))
    np.testing.assert_allclose(logit(half.mean()), logit(all_of_it.mean()), atol=0.3)
