"""Finding the mode of a density."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from lwcal.kernels.newton import FLOOR, Local, find_mode, raised, solve_positive


@pytest.mark.parametrize("start", [-8.0, 0.0, 8.0])
def test_the_mode_is_found_from_a_distant_start(start):
    """A logistic likelihood with a prior, where a full step would overshoot."""
    x, y = np.array([-2.0, -1.0, 1.0, 3.0]), np.array([0.0, 1.0, 1.0, 1.0])

    def height(at):
        linear = at * x
        return (y * linear - np.logaddexp(0, linear)).sum(axis=1) - 0.5 * at[:, 0] ** 2

    def local(at):
        p = expit(at * x)
        gradient = np.array([x @ (y - p) - at[0]])
        return Local(height(at[None])[0], gradient, np.array([[x**2 @ (p * (1 - p)) + 1.0]]))

    mode, information = find_mode(height, local, np.array([start]))
    assert abs(local(mode).gradient[0]) < 1e-3
    np.testing.assert_allclose(information, local(mode).information)


def test_flat_directions_have_a_floor():
    """Without any information the spread is still finite."""
    mode, information = find_mode(
        lambda at: np.zeros(len(at)),
        lambda at: Local(0.0, np.zeros(2), np.zeros((2, 2))),
        np.ones(2),
    )
    np.testing.assert_array_equal(mode, [1.0, 1.0])
    np.testing.assert_allclose(information, FLOOR * np.eye(2))


@given(
    scales=st.lists(st.floats(-6, 12), min_size=1, max_size=4),
    seed=st.integers(0, 99),
    lowered=st.floats(0, 1e6),
)
def test_what_is_raised_can_be_inverted(scales, seed, lowered):
    """Also with curvatures of very different size, and below 0. Those above the floor stay."""
    d = len(scales)
    axes = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    curvatures = 10.0 ** np.array(scales)
    high = (axes * (curvatures + 2 * FLOOR)) @ axes.T
    if max(scales) < 6:
        np.testing.assert_array_equal(raised(high), high)
    found = raised((axes * (curvatures - lowered)) @ axes.T)
    assert np.isfinite(solve_positive(found, np.ones(d))).all()
    assert np.linalg.eigvalsh(found).min() > -1e-12 * np.abs(found).max()


@pytest.mark.parametrize(
    ("matrix", "fault"),
    [
        ([[1.0, np.nan], [np.nan, 1.0]], "not finite"),
        ([[1.0, 1e300], [1e300, 1.0]], "not positive"),
    ],
)
def test_what_no_ridge_helps_is_refused(matrix, fault):
    """In the words of the compiled twin."""
    with pytest.raises(ValueError, match=fault):
        raised(np.array(matrix))


def test_an_indefinite_system_is_refused():
    """Its solution would lead downhill."""
    with pytest.raises(ValueError, match="not positive definite"):
        solve_positive(np.diag([1.0, 0.0]), np.ones(2))


def test_a_step_that_overflows_is_shortened():
    """A trial without a height is the lowest, and no warning is raised."""

    def height(at):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(np.abs(at[:, 0]) > 3.0, np.nan, -np.cosh(at[:, 0] - 1.0))

    def local(at):
        gradient = np.array([-np.sinh(at[0] - 1.0)])
        return Local(height(at[None])[0], gradient, np.array([[0.1]]))

    mode, _ = find_mode(height, local, np.array([-2.5]))
    assert mode[0] == pytest.approx(1.0, abs=1e-3)
