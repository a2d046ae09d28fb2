"""Counting along a curve that is costly to evaluate."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lwcal.noise.clear_cases import count_below


@given(data=st.data(), n=st.integers(1, 80))
def test_clear_cases_are_counted_without_looking_at_every_score(data, n):
    """The same numbers as by looking, for any non-decreasing curve."""
    heights = np.sort(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    levels = np.array([0.05, 0.5, 0.95])
    looked_at = []

    def curve(x):
        looked_at.append(len(x))
        return heights[x.astype(int)]

    found = count_below(curve, np.arange(float(n)), levels)
    assert found.tolist() == [int((heights < level).sum()) for level in levels]
    assert n < 60 or sum(looked_at) < n
