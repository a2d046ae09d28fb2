"""Hypothesis strategies for scores, labels and weights."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

plain_scores = st.floats(0, 1, allow_subnormal=False)
tied_scores = st.integers(0, 8).map(lambda k: k / 8)
edge_scores = st.sampled_from([0.0, -0.0, 5e-324, 1e-310, 2.0**-60, 0.5, 1 - 2.0**-53, 1.0])
scores_of_any_kind = st.one_of(plain_scores, tied_scores, edge_scores)


@st.composite
def rows(draw, min_size=2, max_size=60, elements=scores_of_any_kind, both_classes=True):
    """Scores with labels; both classes occur unless told otherwise."""
    n = draw(st.integers(min_size, max_size))
    scores = draw(npst.arrays(np.float64, n, elements=elements))
    labels = draw(npst.arrays(np.int64, n, elements=st.integers(0, 1)))
    if both_classes:
        labels[:2] = [0, 1]
    return scores, labels


def counts(n):
    """Whole-number weights for n rows, not all zero."""
    return npst.arrays(np.int64, n, elements=st.integers(0, 3)).filter(lambda w: w.any())
