"""Columns of numbers in every type that Arrow has for them."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from lwcal.rows.values import as_numbers

WORDS = ["0.5", None, "1"]
COLUMNS = {
    "float": pa.array([0.5, None, 1.0]),
    "half float": pa.array(np.array([0.5, np.nan, 1.0], dtype=np.float16)),
    "decimal": pa.array([Decimal("0.5"), None, Decimal("1.0")]),
    "string": pa.array(WORDS),
    "large string": pa.array(WORDS, pa.large_string()),
    "string view": pa.array(WORDS, pa.string_view()),
    "dictionary": pa.array([0.5, None, 1.0]).dictionary_encode(),
    "dictionary of words": pa.array(WORDS).dictionary_encode(),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_numbers_are_numbers_however_they_are_stored(column):
    """A half, nothing, and one."""
    values, not_numbers, *_ = as_numbers(column)
    np.testing.assert_array_equal(values, [0.5, np.nan, 1.0])
    assert values.dtype == np.float64
    assert not_numbers is None


def test_booleans_and_nothing_at_all():
    """True is one, a null is missing, and a column without a type holds nothing."""
    np.testing.assert_array_equal(as_numbers(pa.array([True, False]))[0], [1, 0])
    np.testing.assert_array_equal(as_numbers(pa.array([True, None]))[0], [1, np.nan])
    np.testing.assert_array_equal(as_numbers(pa.nulls(2))[0], [np.nan, np.nan])


def test_what_is_no_number_is_named_as_it_came():
    """Words and lists: which rows, and what stands there."""
    values, not_numbers, came, _ = as_numbers(pa.array(["0.5", "high", "NA"]))
    np.testing.assert_array_equal(values, [0.5, np.nan, np.nan])
    assert not_numbers.tolist() == [False, True, False]
    assert came[1] == "high"
    lists = as_numbers(pa.array([[0.5], None]))
    assert lists[1].tolist() == [True, False]
    assert lists[2][0] == [0.5]
