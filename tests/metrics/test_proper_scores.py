"""Brier score and log likelihood against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from lwcal.errors import ParameterError
from lwcal.metrics import brier, nll
from tests.strategies import counts, rows


@given(data=st.data(), weighted=rows())
def test_brier_equals_scikit_learn(data, weighted):
    """With weights, ties and probabilities of exactly 0 and 1."""
    y_prob, y_true = weighted
    weight = data.draw(counts(len(y_true)))
    expected = brier_score_loss(y_true, y_prob, sample_weight=weight)
    assert brier(y_true, y_prob, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@given(data=st.data(), weighted=rows(), clip=st.sampled_from([1e-6, 1e-9, 0.1]))
def test_nll_equals_scikit_learn_after_the_clip(data, weighted, clip):
    """Scikit-learn leaves the clip to its caller."""
    y_prob, y_true = weighted
    weight = data.draw(counts(len(y_true)))
    clipped = np.clip(y_prob, clip, 1 - clip)
    expected = log_loss(y_true, clipped, sample_weight=weight, labels=[0, 1])
    ours = nll(y_true, y_prob, clip=clip, sample_weight=weight)
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_fractional_weights():
    """A weighted mean of squares."""
    assert brier([0, 1], [0.5, 0.8], sample_weight=[0.5, 1.5]) == pytest.approx(0.185 / 2)


def test_the_default_clip_is_a_millionth():
    """The cost of being sure and wrong."""
    assert nll([1], [0.0]) == pytest.approx(-np.log(1e-6))


@pytest.mark.parametrize("clip", [0.0, 0.5, -1e-6, np.nan, np.inf, True, "small"])
def test_a_clip_that_leaves_no_probability_is_refused(clip):
    """Zero would allow infinite values, a half would leave one value."""
    with pytest.raises(ParameterError, match=r"clip .*0\.5"):
        nll([0, 1], [0.2, 0.8], clip=clip)
