"""The logistic function without scipy has the bits of scipy's."""

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import special

from lwcal.numerics.sigmoid import FEW, OVERFLOW, expit, expit_of_few

finite = npst.arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=False))


@given(values=finite)
def test_few_values_have_the_same_bits(values):
    """All numbers, infinity too."""
    np.testing.assert_array_equal(expit_of_few(values), special.expit(values))


def test_where_the_exponential_overflows():
    """On both sides of the largest power."""
    edges = np.nextafter(OVERFLOW, [-np.inf, np.inf])
    values = -np.array([*edges, OVERFLOW, 1e308])
    np.testing.assert_array_equal(expit_of_few(values), special.expit(values))


def test_scipy_is_imported_for_many_values_only(monkeypatch):
    """A map of a few rows does not wait for it; if it is there, it is used."""
    called = []
    monkeypatch.setattr(special, "expit", lambda values: called.append(len(values)) or values)
    few, many = np.zeros(FEW), np.zeros(FEW + 1)
    expit(few)
    monkeypatch.delitem(sys.modules, "scipy.special")
    np.testing.assert_array_equal(expit(few), 0.5)
    expit(many)
    assert called == [FEW, FEW + 1]
