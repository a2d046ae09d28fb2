"""Families of flip rates: densities that integrate to 1, derivatives that are derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from lwcal.kernels.rate_priors import FixedRates, FreeRates, SymmetricRates

STEP = 1e-5
coordinates = st.floats(-8, 8)
shapes = st.floats(0.3, 12)
symmetric = st.builds(SymmetricRates, shapes, shapes)
free = st.builds(FreeRates, shapes, shapes, shapes)
fixed = st.builds(FixedRates, st.floats(0, 0.4), st.floats(0, 0.4))


@st.composite
def placed(draw):
    """A family of any kind, and one point of its coordinates."""
    family = draw(st.one_of(fixed, symmetric, free))
    point = draw(st.lists(coordinates, min_size=family.size, max_size=family.size))
    return family, np.array(point, dtype=float)


def slopes(function, point):
    """Central differences of a function by every coordinate, last axis."""
    steps = STEP * np.eye(len(point))
    columns = [(function(point + step) - function(point - step)) / (2 * STEP) for step in steps]
    shape = np.shape(function(point))
    return np.stack(columns, axis=-1) if columns else np.zeros((*shape, 0))


@given(case=placed())
def test_derivatives_are_finite_differences(case):
    """Of the rates, of the log density, and of its gradient."""
    family, point = case
    local = family.derivatives(point)
    assert local.rates == pytest.approx(family.rates(point[None])[0], rel=1e-12)
    assert local.jacobian.shape == (2, family.size)
    np.testing.assert_allclose(
        local.jacobian, slopes(lambda u: family.rates(u[None])[0], point), atol=1e-8
    )
    np.testing.assert_allclose(
        local.gradient, slopes(lambda u: family.log_density(u[None])[0], point), atol=1e-6
    )
    np.testing.assert_allclose(
        local.information, -slopes(lambda u: family.derivatives(u).gradient, point), atol=1e-6
    )


@given(case=placed())
def test_the_information_is_never_negative(case):
    """The log density is concave in these coordinates, so a mode can be searched."""
    family, point = case
    information = family.derivatives(point).information
    assert (np.linalg.eigvalsh(information) >= -1e-12).all()
    np.testing.assert_array_equal(information, information.T)


@given(family=symmetric, points=st.lists(st.floats(-30, 30), min_size=1, max_size=5))
def test_symmetric_rates_are_one_rate_below_a_half(family, points):
    """Inside (0, 1/2), the same for both classes, increasing."""
    rates = family.rates(np.array(points)[:, None])
    assert rates.shape == (len(points), 2)
    np.testing.assert_array_equal(rates[:, 0], rates[:, 1])
    assert ((rates > 0) & (rates < 0.5)).all()


@given(family=free, points=st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=5))
def test_free_rates_add_up_to_less_than_one(family, points):
    """Beyond that labels would say the opposite."""
    rates = family.rates(np.array(points))
    assert (rates > 0).all()
    assert (rates.sum(axis=1) < 1).all()


@given(family=fixed, rows=st.integers(1, 4))
def test_fixed_rates_have_no_coordinate(family, rows):
    """The same pair for every row, and no weight of its own."""
    np.testing.assert_array_equal(
        family.rates(np.empty((rows, 0))), [[family.negative, family.positive]] * rows
    )
    np.testing.assert_array_equal(family.log_density(np.empty((rows, 0))), np.zeros(rows))


def test_no_rates_are_no_noise():
    """The default is the hypothesis that no label is wrong."""
    np.testing.assert_array_equal(FixedRates().rates(np.empty((1, 0))), [[0.0, 0.0]])


@pytest.mark.parametrize(("a", "b"), [(1.5, 1.5), (0.5, 3.0), (6.0, 2.0)])
def test_the_symmetric_density_is_a_beta_that_integrates_to_one(a, b):
    """2r has the mean and the mass of Beta(a, b)."""
    family = SymmetricRates(a, b)

    def density(u):
        return np.exp(family.log_density(np.array([[u]]))[0])

    def expected_rate(u):
        return density(u) * family.rates(np.array([[u]]))[0, 0]

    assert integrate.quad(density, -80, 80, limit=400)[0] == pytest.approx(1, abs=1e-6)
    mean = integrate.quad(expected_rate, -80, 80, limit=400)[0]
    assert mean == pytest.approx(stats.beta(a, b).mean() / 2, abs=1e-6)


@pytest.mark.parametrize("weights", [(1.0, 1.0, 4.0), (0.5, 2.0, 3.0), (1.0, 2.0, 7.0)])
def test_the_free_density_is_a_dirichlet_that_integrates_to_one(weights):
    """On a grid: mass 1, and the means of the Dirichlet."""
    family = FreeRates(*weights)
    axis = np.linspace(-45, 25, 701)
    u = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    mass = np.exp(family.log_density(u)) * (axis[1] - axis[0]) ** 2
    assert mass.sum() == pytest.approx(1, abs=1e-6)
    expected = np.array(weights[:2]) / sum(weights)
    assert mass @ family.rates(u) == pytest.approx(expected, abs=1e-6)
