"""Logistic regression with a normal prior, compiled and in numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from lwcal.kernels import pure
from lwcal.kernels.importance import standard_points
from lwcal.kernels.regression import Regression

STEP = 1e-5


def regression_of(seed, size, in_logs, weight=1.0):
    """Labels that follow a regression, and a prior of its parameters."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(len(in_logs), size))
    offset = rng.normal(size=size)
    total = weight * rng.uniform(0, 3, size)
    chance = expit(offset + features.sum(axis=0))
    prior = rng.uniform((-0.5, 0.3, 0.0), (0.5, 2.0, 0.0), (len(in_logs), 3))
    prior[:, 2] = in_logs
    return Regression(features, offset, total * (1 - chance), total * chance, prior)


cases = st.builds(
    regression_of,
    st.integers(0, 99),
    st.sampled_from([0, 1, 7, 8, 9, 300, 511, 513]),
    st.lists(st.booleans(), min_size=1, max_size=8),
    st.sampled_from([1.0, 30.0]),
)


@settings(max_examples=150)
@given(regression=cases)
def test_both_find_the_same_mode(regression):
    """With the same height and information, but for the last digits."""
    compiled = pytest.importorskip("lwcal.kernels.compiled")
    start = np.zeros(len(regression.prior))
    expected, found = (backend.regression_mode(*regression, start) for backend in (pure, compiled))
    assert found[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-7)
    scale = np.abs(expected[2]).max()
    np.testing.assert_allclose(found[2] / scale, expected[2] / scale, atol=1e-7)


@settings(max_examples=100)
@given(regression=cases)
def test_both_draw_the_same(regression):
    """Parameters and weights; the weights as far as they matter."""
    compiled = pytest.importorskip("lwcal.kernels.compiled")
    size = len(regression.prior)
    _, *mode = pure.regression_mode(*regression, np.zeros(size))
    expected, found = (
        backend.regression_draws(*regression, *mode, *standard_points(size))
        for backend in (pure, compiled)
    )
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)


@given(regression=cases, at=st.lists(st.floats(-1.5, 1.5), min_size=8, max_size=8))
def test_the_gradient_is_that_of_the_heights(regression, at):
    """Central differences by every parameter."""
    size = len(regression.prior)
    point = np.array(at[:size])
    above, below = (regression.heights(point + sign * STEP * np.eye(size)) for sign in (1, -1))
    expected = (above - below) / (2 * STEP)
    scale = 1.0 + np.abs(expected).max()
    found = regression.local(point).gradient
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-6)


@pytest.mark.parametrize("in_logs", [False, True])
def test_the_information_is_that_of_the_heights(in_logs):
    """Second differences at labels that follow the regression, where both are the same."""
    regression, at = regression_of(3, 40, [in_logs]), np.full(1, 0.2)
    coefficient = np.exp(at) if in_logs else at
    chance = expit(regression.offset + coefficient @ regression.features)
    total = regression.negatives + regression.positives
    ideal = regression._replace(negatives=total * (1 - chance), positives=total * chance)
    low, here, high = ideal.heights(at + np.array([[-1e-3], [0.0], [1e-3]]))
    expected = (2 * here - low - high) / 1e-6
    assert ideal.local(at).information.item() == pytest.approx(expected, rel=1e-4)


def test_the_mode_and_the_height_there(backend):
    """One coefficient and many rows, against a fine grid."""
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1, 400)
    y = (rng.random(400) < expit(1.3 * z)).astype(float)
    grid = np.linspace(-4, 4, 8001)
    line = (1.0 + 0.8 * grid[:, None]) * z
    density = line @ y - np.logaddexp(0, line).sum(axis=1) - 0.5 * grid**2
    prior = np.array([[0.0, 1.0, 0.0]])
    height, mode, _ = backend.regression_mode(0.8 * z[None], z, 1 - y, y, prior, np.zeros(1))
    assert height == pytest.approx(density.max(), abs=1e-5)
    assert mode.item() == pytest.approx(grid[density.argmax()], abs=1e-3)


def test_weighted_draws_integrate_the_posterior(backend):
    """Their sum against a fine grid, up to the constant of the prior."""
    regression = regression_of(1, 30, [False, True])
    _, *mode = backend.regression_mode(*regression, np.zeros(2))
    points, log_weights = backend.regression_draws(*regression, *mode, *standard_points(2))
    axis = np.linspace(-6, 6, 401)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    density = np.exp(regression.heights(grid) - regression.heights(grid).max())
    scale = np.exp(regression.heights(grid).max()) * (axis[1] - axis[0]) ** 2
    assert np.exp(log_weights).sum() == pytest.approx(density.sum() * scale, rel=0.01)
    weights = np.exp(log_weights) / np.exp(log_weights).sum()
    np.testing.assert_allclose(points @ weights, density @ grid / density.sum(), atol=0.03)


@pytest.mark.parametrize("weight", [np.inf, np.nan])
def test_weights_that_are_no_numbers_are_refused(backend, weight):
    """In the same words."""
    regression = regression_of(1, 20, [False, True])._replace(positives=np.full(20, weight))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="not finite"):
        backend.regression_mode(*regression, np.zeros(2))


def test_a_width_below_zero_is_refused(backend):
    """No proposal can have it."""
    regression, width = regression_of(1, 9, [False, False]), np.diag([-1.0, 1.0])
    with pytest.raises(ValueError, match=r"not positive definite|[Nn]ot positive definite"):
        backend.regression_draws(*regression, np.zeros(2), width, *standard_points(2))
