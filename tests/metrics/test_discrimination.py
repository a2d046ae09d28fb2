"""AUC and macro-F1 against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score

from lwcal.errors import ParameterError
from lwcal.metrics import auc, macro_f1
from tests.strategies import counts, rows, tied_scores


@given(data=st.data(), weighted=rows())
def test_auc_equals_scikit_learn(data, weighted):
    """With ties and weights, some of them 0."""
    y_prob, y_true = weighted
    weight = data.draw(counts(len(y_true)))
    weight[:2] += 1  # keep both classes
    expected = roc_auc_score(y_true, y_prob, sample_weight=weight)
    assert auc(y_true, y_prob, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@given(
    data=st.data(),
    weighted=rows(both_classes=False, elements=tied_scores),
    threshold=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_macro_f1_equals_scikit_learn(data, weighted, threshold):
    """With probabilities on the threshold, single classes and weights."""
    y_prob, y_true = weighted
    weight = data.draw(counts(len(y_true)))
    kept = weight > 0  # scikit-learn also averages over classes that occur with weight 0 only
    decided = (y_prob >= threshold).astype(int)
    expected = f1_score(y_true[kept], decided[kept], average="macro", sample_weight=weight[kept])
    ours = macro_f1(y_true, y_prob, threshold=threshold, sample_weight=weight)
    assert ours == pytest.approx(expected, abs=1e-12)


@given(data=rows(elements=tied_scores))
def test_auc_sees_only_the_order(data):
    """A strictly increasing map changes nothing."""
    y_prob, y_true = data
    assert auc(y_true, y_prob**2 / 2) == auc(y_true, y_prob)


def test_rounding_of_weights_does_not_bring_back_an_absent_class():
    """All rows positive and predicted so, in weights that binary fractions cannot hold."""
    assert macro_f1([1, 1, 1], [0.9, 0.8, 0.7], sample_weight=[0.1, 0.2, 0.3]) == 1.0


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, None, True])
def test_a_threshold_is_a_probability(threshold):
    """Anything outside [0, 1] is refused."""
    with pytest.raises(ParameterError, match="threshold"):
        macro_f1([0, 1], [0.2, 0.8], threshold=threshold)
