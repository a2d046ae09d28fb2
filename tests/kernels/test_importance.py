"""Importance sampling if the first guess of mode and width is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import special, stats

from lwcal.kernels.importance import importance_sample, log_sum, normalise, standard_points

finite = st.floats(-500, 500)


def moments(sample):
    """Mean and covariance of weighted points."""
    weights = normalise(sample.log_weights)
    mean = weights @ sample.points
    centered = sample.points - mean
    return mean, (centered * weights[:, None]).T @ centered


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_a_gaussian_whose_mode_and_width_are_wrong(dimension, factor):
    """Ten random covariances, with the mode wrong by one standard deviation.

    Measured at worst, in three dimensions with half the variance: the integral within 0.14,
    the mean within 0.22 standard deviations, the covariance within 0.30 of the identity;
    with four times the variance within 0.06, 0.09 and 0.12.
    """
    rng = np.random.default_rng(0)
    for _ in range(10):
        root = np.tril(rng.normal(size=(dimension, dimension)), -1) + np.diag(
            rng.uniform(0.5, 2, dimension)
        )
        center, shift = 3 * rng.normal(size=dimension), rng.normal(size=dimension)
        mode = center + root @ (shift / np.linalg.norm(shift))
        gaussian = stats.multivariate_normal(center, root @ root.T)
        found = importance_sample(gaussian.logpdf, mode, factor * (root @ root.T))
        assert np.exp(found.log_weights).sum() == pytest.approx(1, abs=0.2)
        mean, covariance = moments(found)
        inverse = np.linalg.inv(root)
        assert inverse @ (mean - center) == pytest.approx(np.zeros(dimension), abs=0.3)
        identity = pytest.approx(np.eye(dimension), abs=0.4)
        assert inverse @ covariance @ inverse.T == identity


def test_a_constant_factor_scales_the_integral_alone():
    """The integral grows by the same factor, and the points stay."""

    def density(points):
        return -0.5 * (points**2).sum(axis=1)

    once = importance_sample(density, np.zeros(2), np.eye(2))
    more = importance_sample(lambda x: density(x) + 800.0, np.zeros(2), np.eye(2))
    np.testing.assert_allclose(more.log_weights, once.log_weights + 800.0, atol=1e-9)
    np.testing.assert_allclose(more.points, once.points, atol=1e-9)
    assert np.exp(once.log_weights).sum() == pytest.approx(2 * np.pi, rel=0.05)


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_the_integral_is_about_as_exact_in_every_dimension(dimension):
    """Hypotheses with more rates to choose from must not lose by it.

    Measured: log integrals too small by 0.018, 0.027 and 0.014.
    """
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        root = np.tril(rng.normal(size=(dimension, dimension)), -1) + np.eye(dimension)
        gaussian = stats.multivariate_normal(np.zeros(dimension), root @ root.T)
        sampled = importance_sample(gaussian.logpdf, root @ np.ones(dimension) / 2, root @ root.T)
        found.append(log_sum(sampled.log_weights))
    assert np.mean(found) == pytest.approx(-0.02, abs=0.02)


def test_no_round_repeats_the_points_of_another():
    """All callers share them, so they are read-only."""
    points = standard_points(3).points
    assert len(np.unique(points[..., 0])) == points[..., 0].size
    with pytest.raises(ValueError, match="read-only"):
        points[0, 0] = 0.0


@pytest.mark.parametrize("covariance", [[1, 0.25], [0.5, 0.25], [1, 1]])
def test_a_banana(covariance):
    """x standard normal, y normal about x**2 / 2: mean (0, 1/2), variances 1 and 3/4.

    Measured: integral 0.96 to 0.99, mean within 0.12, variances within 0.27.
    """

    def density(points):
        x, y = points.T
        return stats.norm.logpdf(x) + stats.norm.logpdf(y, 0.5 * x**2, 0.5)

    found = importance_sample(density, np.zeros(2), np.diag(np.array(covariance, float)))
    assert np.exp(found.log_weights).sum() == pytest.approx(1, abs=0.08)
    mean, spread = moments(found)
    assert mean == pytest.approx([0.0, 0.5], abs=0.25)
    assert np.diag(spread) == pytest.approx([1.0, 0.75], abs=0.35)


def test_later_rounds_find_what_the_first_missed():
    """With a wrong mode and a narrow width, one round is much worse."""
    gaussian = stats.multivariate_normal([3.0, 0.0], np.eye(2))
    wrong = (np.zeros(2), 0.2 * np.eye(2))
    standard = standard_points(2)
    first = standard._replace(points=standard.points[:1])
    once, thrice = (importance_sample(gaussian.logpdf, *wrong, one) for one in (first, standard))
    missed, found = (np.abs(moments(sample)[0] - [3.0, 0.0]).max() for sample in (once, thrice))
    assert found < 0.3 < missed


def test_points_and_weights_are_the_same_every_time():
    """Results are identical, because no random numbers are used."""
    gaussian = stats.multivariate_normal([1.0, 0.0, 2.0], np.diag([1.0, 2.0, 3.0]))
    first, second = (importance_sample(gaussian.logpdf, np.zeros(3), np.eye(3)) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.log_weights, second.log_weights)


@given(logs=npst.arrays(np.float64, st.integers(1, 30), elements=finite), shift=finite)
def test_normalised_weights_add_up_to_one(logs, shift):
    """Their ratios do not depend on a constant in the logs."""
    weights = normalise(logs)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert (weights >= 0).all()
    np.testing.assert_allclose(normalise(logs + shift), weights, atol=1e-10)
    top = logs.argmax()
    np.testing.assert_allclose(weights / weights[top], np.exp(logs - logs[top]), atol=1e-12)


@given(
    logs=npst.arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=finite)
)
def test_log_sums_are_scipys(logs):
    """Along the first axis, without overflow."""
    np.testing.assert_allclose(
        log_sum(logs), special.logsumexp(logs, axis=0), rtol=1e-14, atol=1e-13
    )
