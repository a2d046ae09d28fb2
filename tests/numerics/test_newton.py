"""Finding the mode of a density."""

import numpy as np
import pytest
from scipy.special import expit

from lwcal.numerics.newton import FLOOR, find_mode


@pytest.mark.parametrize("start", [-8.0, 0.0, 8.0])
def test_the_mode_is_found_from_a_distant_start(start):
    """A logistic likelihood with a prior, where a full step would overshoot."""
    x, y = np.array([-2.0, -1.0, 1.0, 3.0]), np.array([0.0, 1.0, 1.0, 1.0])

    def height(at):
        linear = at * x
        return (y * linear - np.logaddexp(0, linear)).sum(axis=1) - 0.5 * at[:, 0] ** 2

    def derivatives(at):
        p = expit(at * x)
        return np.array([x @ (y - p) - at[0]]), np.array([[x**2 @ (p * (1 - p)) + 1.0]])

    mode, information = find_mode(height, derivatives, np.array([start]))
    assert abs(derivatives(mode)[0][0]) < 1e-3
    np.testing.assert_allclose(information, derivatives(mode)[1])


def test_flat_directions_have_a_floor():
    """Without any information the spread is still finite."""
    mode, information = find_mode(
        lambda at: np.zeros(len(at)), lambda at: (np.zeros(2), np.zeros((2, 2))), np.ones(2)
    )
    np.testing.assert_array_equal(mode, [1.0, 1.0])
    np.testing.assert_allclose(information, FLOOR * np.eye(2))
