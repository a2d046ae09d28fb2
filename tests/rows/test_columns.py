"""Bad input is refused with what was expected, what came, and what to do."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.rows import as_labels, as_scores, as_weights


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, np.nan, np.nan], r"2 of 3 values that are missing \(NaN\), the first in row 1"),
        ([0.5, None], r"1 of 2 values that are missing"),
        (pd.array([0.5, None], dtype="Float64"), "1 of 2 values that are missing"),
        ([0.5, np.inf], r"1 of 2 values that are infinite, the first in row 1 \(inf\)"),
        ([-3.0, 2.0, 0.5], r"2 of 3 values outside, the first in row 0 \(-3.0\); .*logits"),
        ([12.0, 97.5], "percentages: divide them by 100"),
        ([0.2, 1.0000001], "clip rounding errors"),
        ([0.2, 900.0], "check that this is the score column"),
        (["a", "0.5"], r"to be numbers, got 1 of 2 values that are not, the first in row 0"),
        (["0.1", "0.5"], r"convert them, for example with scores.astype\(float\)"),
        ([1j, 0.5], "to be numbers"),
        ([], "at least one row in scores, got none"),
        (
            [[0.1, 0.9], [0.4, 0.6]],
            r"shape \(2, 2\); pass one column; of the output of predict_proba",
        ),
        (np.zeros((2, 2, 2)), "one-dimensional"),
        (0.5, r"one-dimensional, got an array of shape \(\)"),
    ],
)
def test_bad_scores_are_explained(scores, expected):
    """Each kind of bad score has its own sentence."""
    with pytest.raises(InputError, match=expected):
        as_scores(scores)


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        ([0, 1, 1], [0, 1, 1]),
        ([0.0, 1.0], [0, 1]),
        ([-1, 1], [0, 1]),
        ([True, False], [1, 0]),
        (["no", "YES"], [0, 1]),
        (["0", "1"], [0, 1]),
        (["Negative", "positive"], [0, 1]),
        (["false", "true"], [0, 1]),
        ([0, 0], [0, 0]),
        ([1], [1]),
        (np.array([True, False], dtype=object), [1, 0]),
        (pd.Series([1, 0], dtype="Int64"), [1, 0]),
        (pd.Categorical(["no", "yes"]), [0, 1]),
    ],
)
def test_obvious_labels_are_understood(labels, codes):
    """Labels whose positive class needs no explanation."""
    assert as_labels(labels).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "pos_label", "codes"),
    [
        (["good", "bad", "bad"], "bad", [0, 1, 1]),
        ([1, 2], 2, [0, 1]),
        ([0, 1], 0, [1, 0]),
        ([True, False], False, [0, 1]),
        (["bad", "bad"], "good", [0, 0]),
    ],
)
def test_the_positive_class_can_be_named(labels, pos_label, codes):
    """Any two classes do when the positive one is named."""
    assert as_labels(labels, pos_label=pos_label).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        (["good", "bad"], None, r"the classes \['bad', 'good'\]; name it, for example pos_label="),
        ([1, 2], None, r"the classes \[1, 2\]"),
        ([1, 2], 3, r"pos_label to be one of \[1, 2\], got 3"),
        ([0, 1, 2], None, r"two classes, got 3 distinct values \(0, 1, 2\)"),
        (np.linspace(0, 1, 9), None, r"9 distinct values \(0.0, 0.125, .*, \.\.\.\)"),
        ([0.0, np.nan, 1.0], None, r"1 of 3 values missing, the first in row 1"),
        (["yes", None], None, "1 of 2 values missing"),
        (pd.Series([1, None], dtype="Int64"), None, "1 of 2 values missing"),
        ([], None, "at least one row in y"),
    ],
)
def test_bad_labels_are_explained(labels, pos_label, expected):
    """Each kind of bad label has its own sentence."""
    with pytest.raises(InputError, match=expected):
        as_labels(labels, pos_label=pos_label)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, -1, 2], r"finite and at least 0, got 1 of 3 values .* row 1 \(-1.0\)"),
        ([1, np.nan, 2], "1 of 3 values"),
        ([1, np.inf, 2], "1 of 3 values"),
        ([0, 0, 0], "a positive sample_weight in some row, got 3 zeros"),
        ([1, 2], r"one value a score \(3\), got 2"),
    ],
)
def test_bad_weights_are_explained(weights, expected):
    """Each kind of bad weight has its own sentence."""
    with pytest.raises(InputError, match=expected):
        as_weights(weights, 3)


def test_float32_is_converted_once():
    """Narrow floats become float64 with the same value."""
    scores = np.array([0.1, 0.7], dtype=np.float32)
    assert as_scores(scores).dtype == np.float64
    assert as_scores(scores).tolist() == scores.tolist()


@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=3))),
        st.lists(st.floats()),
        st.lists(st.lists(st.floats(), max_size=2), max_size=3),
        st.floats(),
    )
)
def test_whatever_comes_is_accepted_or_refused_by_name(values):
    """No numpy error and no NaN gets through, whatever the values are."""
    try:
        scores = as_scores(values)
    except InputError as error:
        assert "expected" in str(error)
    else:
        assert ((scores >= 0) & (scores <= 1)).all()
