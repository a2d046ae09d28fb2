"""Which values a parameter takes."""

from fractions import Fraction

import numpy as np
import pytest

from lwcal.parameters import Between


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.5), Fraction(1, 3), np.int8(1)])
def test_any_real_number_within_the_limits_is_allowed(value):
    """Whatever its type."""
    assert Between(0.0, 1.0).allows(value)


@pytest.mark.parametrize("value", [-1, 2, True, "0.5", None, np.nan, np.inf, 10**400, -(10**400)])
def test_everything_else_is_not(value):
    """Not even a whole number that is too large for a float."""
    assert not Between(0.0, 1.0).allows(value)
    assert not Between(-np.inf, np.inf).allows(value) or value in (-1, 2)
