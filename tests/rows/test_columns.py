"""Whole columns: what is accepted, and how bad input is refused."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.rows import as_chances, as_checked_labels, as_labels, as_scores, as_weights


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, np.nan, np.nan], r"2 of 3 .* missing, the first in row 1"),
        ([0.5, None], r"1 of 2 .* missing"),
        ([0.5, "NA"], r"1 of 2 .* missing"),
        (pd.array([0.5, None], dtype="Float64"), "1 of 2 .* missing"),
        ([0.5, np.inf], r"1 of 2 .* infinite, the first in row 1 \(inf\)"),
        (["a", "0.5"], r"1 of 2 .* not numeric, the first in row 0 \('a'\)"),
        ([1j, 0.5], r"2 of 2 .* not numeric"),
        (np.array(["2026-01-01"], dtype="M8[ns]"), r"1 of 1 .* not numeric"),
        ([], "no rows"),
        ([[0.1, 0.9], [0.4, 0.6]], r"shape \(2, 2\).*predict_proba"),
        ([[0.1], [0.4, 0.6]], "different length"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (0.5, r"shape \(\)"),
    ],
)
def test_bad_scores_are_refused(scores, expected):
    """Each kind of bad score has its own sentence, with the count and the first row."""
    with pytest.raises(InputError, match=expected):
        as_scores(scores)


@pytest.mark.parametrize(
    ("scores", "hint"),
    [
        ([-3.0, 2.0, 0.5], "expit"),
        ([-3.0, -2.0, -7.5], "expit"),
        ([12.0, 97.5], "by 100"),
        ([0.2, 1.0000001], "numpy.clip"),
    ],
)
def test_a_conversion_is_suggested_when_most_values_need_it(scores, hint):
    """Logits, percentages, rounding errors."""
    with pytest.raises(InputError, match=hint):
        as_scores(scores)


@pytest.mark.parametrize("bad", [-1.0, 7.0, 99.0, -4.0, 1.001])
def test_no_conversion_is_suggested_for_the_sake_of_a_few(bad):
    """Dividing or transforming would spoil the valid scores; clipping would hide the bad one."""
    with pytest.raises(InputError, match="1 of 50") as raised:
        as_scores([*np.linspace(0, 1, 49), bad])
    assert not re.search("expit|100|clip", str(raised.value))


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
        (np.array([b"no", b"yes"]), [0, 1]),
        (pd.Series([1, 0], dtype="Int64"), [1, 0]),
        (pd.Categorical(["no", "yes"]), [0, 1]),
        (pd.Series(pd.arrays.SparseArray([1, 0])), [1, 0]),
    ],
)
def test_obvious_labels_are_understood(labels, codes):
    """Labels whose positive class needs no explanation."""
    assert as_labels(labels).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "pos_label", "codes"),
    [
        (["good", "bad", "bad"], "bad", [0, 1, 1]),
        (["good", "Bad", "bad "], " BAD", [0, 1, 1]),
        ([1, 2], 2, [0, 1]),
        ([1, 2], "2", [0, 1]),
        (["1", "2.0"], 2, [0, 1]),
        ([0, 1], 0, [1, 0]),
        ([0, 1], 1, [0, 1]),
        ([True, False], False, [0, 1]),
        (["True", "false"], True, [1, 0]),
        (["bad", "bad"], "good", [0, 0]),
        (np.array(["2026-01-01", "2026-02-01"], dtype="M8[ns]"), "2026-02-01T00:00:00.000000000",
         [0, 1]),
    ],
)  # fmt: skip
def test_the_positive_class_can_be_named(labels, pos_label, codes):
    """Any two classes do when the positive one is named, however it is spelled."""
    assert as_labels(labels, pos_label=pos_label).tolist() == codes


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        (["good", "bad"], None, r"'bad' and 'good'.*pos_label='bad'.*pos_label='good'"),
        ([1, 2], None, r"1 and 2"),
        ([1, 2], 3, r"pos_label=3 .* 1 and 2"),
        ([0, 1, 2, 2, 2], None, r"3 distinct values \(0, 1, 2\)"),
        ([0, 1, 1, 2], 2, r"3 distinct values"),
        ([0, 1, 1, 2], None, r"1 of 4 .* not 0 or 1, the first in row 3 \(2\)"),
        (np.linspace(0, 1, 9), None, r"9 distinct values \(0, 0.125, .*, \.\.\.\)"),
        (range(2000), None, r"more than 998"),
        ([0.0, np.nan, 1.0], None, r"1 of 3 .* missing, the first in row 1"),
        (["yes", None], None, "1 of 2 .* missing"),
        (["yes", "no", "NA"], None, r"1 of 3 .* missing, the first in row 2"),
        (pd.Series([1, None], dtype="Int64"), None, "1 of 2 .* missing"),
        ([], None, "no rows"),
    ],
)
def test_bad_labels_are_refused(labels, pos_label, expected):
    """Each kind of bad label has its own sentence."""
    with pytest.raises(InputError, match=expected):
        as_labels(labels, pos_label=pos_label)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, -1, 2], r"1 of 3 .* row 1 \(-1.0\)"),
        ([1, np.nan, 2], "1 of 3"),
        ([1, np.inf, 2], "1 of 3"),
        ([1, "much", 2], r"1 of 3 .* row 1 \('much'\)"),
        ([0, 0, 0], "all 3 weights are zero"),
        ([1, 2], r"3 rows but 2 weights"),
    ],
)
def test_bad_weights_are_refused(weights, expected):
    """Each kind of bad weight has its own sentence."""
    with pytest.raises(InputError, match=expected):
        as_weights(weights, 3)


def test_checked_labels_may_be_missing_in_any_form():
    """A row without a true label is a row that nobody checked."""
    for nothing in (None, np.nan, "", "NA", pd.NA):
        found = as_checked_labels(["no", "yes", "no"], [nothing, "YES", "yes"])
        assert found.noisy.tolist() == [0, 1, 0]
        assert found.true.tolist() == [1, 1]
        assert found.checked.tolist() == [False, True, True]
    found = as_checked_labels([0, 1], pd.Series([1, None], dtype="Int64"))
    assert (found.noisy.tolist(), found.true.tolist()) == ([0, 1], [1])
    with pytest.raises(InputError, match="2 labels but 1 audited label"):
        as_checked_labels([0, 1], [1])
    with pytest.raises(InputError, match=r"1 of 2 .* missing"):
        as_checked_labels([0, None], [1, 1])


def test_selection_probabilities_are_needed_for_checked_rows_only():
    """Above 0, and at most 1."""
    rows = np.array([True, False, True])
    assert as_chances([0.5, 7.0, 1.0], rows).tolist() == [0.5, 1.0]
    with pytest.raises(InputError, match=r"audit_probability: 1 of 2 .* row 2 \(0.0\)"):
        as_chances([0.5, 7.0, 0.0], rows)
    with pytest.raises(InputError, match="3 rows but 2 values of audit_probability"):
        as_chances([0.5, 7.0], rows)


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
def test_whatever_comes_is_accepted_or_refused(values):
    """No numpy error and no NaN gets through, whatever the values are."""
    try:
        scores = as_scores(values)
    except InputError:
        return
    assert ((scores >= 0) & (scores <= 1)).all()


@given(st.lists(st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=2)), min_size=1))
def test_any_labels_are_coded_or_refused(values):
    """Likewise for labels; equal classes get equal codes."""
    try:
        codes = as_labels(values)
    except InputError:
        return
    assert set(codes.tolist()) <= {0, 1}
