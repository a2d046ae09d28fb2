"""Tables of class probabilities: every kind of table is read alike, and faults are counted."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.rows.faults import InvalidRows
from lwcal.rows.probabilities import (
    MOST_COLUMNS,
    as_class_scores,
    check_class_scores,
    is_matrix,
)

VALUES = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
NAMES = ("a", "b", "c")


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (VALUES, None),
        (VALUES.tolist(), None),
        (VALUES.astype(np.float32), None),
        (VALUES.astype(str), None),
        (pd.DataFrame(VALUES), None),
        (pd.DataFrame(VALUES, columns=["a", "a", "b"]), ("a", "a", "b")),
        (pd.DataFrame(VALUES, columns=list(NAMES)), NAMES),
        (pl.DataFrame(VALUES, schema=list(NAMES)), NAMES),
        (pl.DataFrame(VALUES), None),
        (pa.table(dict(zip(NAMES, VALUES.T, strict=True))), NAMES),
    ],
    ids=[
        "array",
        "lists",
        "float32",
        "text",
        "plain",
        "twice",
        "pandas",
        "polars",
        "numbered",
        "arrow",
    ],
)
def test_any_table(table, names):
    """The same numbers, and the names of the columns where they mean something."""
    found = as_class_scores(table)
    np.testing.assert_allclose(found.values, VALUES, atol=1e-7)
    assert found.names == names


def test_rounded_rows_sum_to_one():
    """Three digits are enough; the rest is divided among the classes."""
    found = as_class_scores([[0.333, 0.333, 0.333], [0.5, 0.25, 0.25]])
    np.testing.assert_allclose(found.values.sum(axis=1), 1.0, rtol=1e-15)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=8), st.sampled_from([-1, 0, 1]))
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_two_digits_are_enough(kind, cuts, off):
    """Rows of hundredths that miss 1 by one are allowed, whatever error adding them up makes."""
    ends = sorted(cuts)
    hundredths = np.diff([0, *ends, 100])
    hundredths[hundredths.argmax()] += off
    if hundredths.max() <= 100:
        as_class_scores(np.array([hundredths / 100.0]).astype(kind))


@pytest.mark.parametrize("total", [0.98999, 1.01001])
def test_more_than_a_hundredth_is_refused(total):
    """Nothing but the error of adding up is allowed beyond it."""
    with pytest.raises(InputError, match=r"not near 1, by more than rounding explains"):
        as_class_scores([[0.5, total - 0.5]])


@given(
    shares=st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=10),
    kind=st.sampled_from([np.array, pd.DataFrame]),
)
def test_up_to_ten_probabilities_of_two_digits_are_accepted(shares, kind):
    """Whatever rounding took from each of them."""
    exact = np.array(shares) / sum(shares)
    rounded = exact.round(2)
    assume(rounded.any())
    found = as_class_scores(kind([rounded])).values
    assert found.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found[0], exact, atol=0.06)


@pytest.mark.parametrize("n_classes", [10, 100])
def test_more_than_five_hundredths_are_always_refused(n_classes):
    """A class may be missing."""
    row = np.full(n_classes, 0.9499 / n_classes)
    with pytest.raises(InputError, match="not near 1"):
        as_class_scores([row])
    assert as_class_scores([row * 0.9501 / 0.9499]).values.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ([[0.5, 0.5], [0.5, 0.2]], "1 of 2 values is not near 1.*row 1"),
        ([[0.5, 0.5], [0.0, 0.0]], "1 of 2 values is zero in every class.*row 1"),
        ([[0.5, 0.5], [np.nan, 1.0]], "column 0.*missing.*row 1"),
        ([[1.5, 0.5], [0.5, -0.5]], "column 0.*1 of 2.*outside.*column 1.*1 is outside"),
        ([["x", "0.5"], ["0.5", "0.5"]], "not numeric"),
        (np.ones((2, 1)), "1 columns"),
        (np.ones((1, MOST_COLUMNS + 1)), "1,001 columns"),
        (np.ones((0, 3)), "no rows"),
        (np.ones(3), "shape"),
        ([[0.5, 0.5], [1.0]], "different length"),
        (np.ones((2, 2)) * 0.5j, "real numbers"),
    ],
)
def test_faults(table, match):
    """Counted, with the first row."""
    with pytest.raises(InputError, match=match):
        as_class_scores(table)


def test_a_row_with_two_faults_counts_once():
    """Otherwise more rows would be dropped than there are."""
    invalid = InvalidRows(rows=2)
    columns = [np.array([1.5, 0.5]), np.array([-0.5, 0.5])]
    _, bad = check_class_scores(columns, 0, ["column 'a'", "column 'b'"], "scores", invalid)
    assert invalid.count == 1
    np.testing.assert_array_equal(bad, [True, False])


def test_no_scale_is_recommended_that_does_not_exist_here():
    """Percents of several classes must be divided first."""
    with pytest.raises(InputError) as refused:
        as_class_scores(100.0 * VALUES)
    assert "scale=" not in str(refused.value)


def test_the_number_of_columns_is_that_of_the_fit():
    """A calibrator says how many it expects."""
    with pytest.raises(InputError, match=r"3 columns.*4 classes"):
        as_class_scores(VALUES, n_classes=4)


@pytest.mark.parametrize("scores", [[], 5, "text", [[0.5]], np.ones(4), [0.1, 0.9]])
def test_one_column_is_no_matrix(scores):
    """Whatever it is made of."""
    assert not is_matrix(scores)
