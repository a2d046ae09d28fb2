"""ScoreTable: exact pooling, from anything, mergeable."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import LWCal, ScoreTable
from lwcal.errors import DroppedRowsWarning, InputError
from lwcal.noise.checked.table import CheckedTable
from lwcal.table import as_table
from tests.strategies import counts, rows


def same(a, b):
    """Say whether two tables hold the same numbers, bit for bit."""
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("scores", "negatives", "positives")
    )


CONTAINERS = {
    "list": list,
    "numpy": np.asarray,
    "pandas": pd.Series,
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "one column of a frame": lambda values: pd.DataFrame({"x": values}),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_columns_of_every_kind_are_accepted(container):
    """The same rows give the same table whatever holds them."""
    scores, labels = [0.3, 0.1, 0.3], [1, 0, 0]
    table = ScoreTable.from_arrays(container(scores), container(labels))
    assert same(table, ScoreTable.from_counts([0.1, 0.3], [1, 1], [0, 1]))


@given(data=rows(both_classes=False, min_size=3), cut=st.integers(1, 2))
def test_merging_parts_gives_the_whole(data, cut):
    """Any partition adds up to the table of all rows, in either order."""
    scores, labels = data
    whole = ScoreTable.from_arrays(scores, labels)
    a = ScoreTable.from_arrays(scores[:cut], labels[:cut])
    b = ScoreTable.from_arrays(scores[cut:], labels[cut:])
    assert same(a + b, whole)
    assert same(b + a, whole)


@given(parts=st.lists(rows(max_size=20), min_size=3, max_size=3))
def test_merging_is_associative(parts):
    """How the parts are bracketed does not matter."""
    a, b, c = (ScoreTable.from_arrays(*part) for part in parts)
    assert same((a + b) + c, a + (b + c))
    assert same((a + b) + c, ScoreTable.merge([a, b, c]))


@given(data=rows(min_size=4), cut=st.integers(1, 3))
def test_a_fit_to_merged_parts_is_the_fit_to_the_rows(data, cut):
    """Rows and the merged tables of their parts give the same map."""
    scores, labels = data
    parts = ScoreTable.merge(
        [
            ScoreTable.from_arrays(scores[:cut], labels[:cut]),
            ScoreTable.from_arrays(scores[cut:], labels[cut:]),
        ]
    )
    grid = np.linspace(0, 1, 64)
    from_rows, from_parts = LWCal().fit(scores, labels), LWCal().fit_table(parts)
    np.testing.assert_array_equal(from_rows.predict(grid), from_parts.predict(grid))


@given(data=st.data(), weighted=rows(both_classes=False))
def test_weights_are_repetitions(data, weighted):
    """A row of weight k equals that row k times."""
    scores, labels = weighted
    times = data.draw(counts(len(scores)))
    repeated = ScoreTable.from_arrays(np.repeat(scores, times), np.repeat(labels, times))
    assert same(ScoreTable.from_arrays(scores, labels, times), repeated)


@given(data=rows(both_classes=False), seed=st.integers(0, 99))
def test_row_order_does_not_matter(data, seed):
    """Shuffled rows give the same table."""
    scores, labels = data
    order = np.random.default_rng(seed).permutation(len(scores))
    shuffled = ScoreTable.from_arrays(scores[order], labels[order])
    assert same(shuffled, ScoreTable.from_arrays(scores, labels))


def test_fractional_weights_add_up():
    """Weights need not be whole numbers."""
    table = ScoreTable.from_arrays([0.2, 0.2, 0.4], [1, 0, 1], [0.5, 0.25, 1.5])
    assert (table.n, table.n_negative, table.n_positive) == (2.25, 0.25, 2.0)
    assert table.base_rate == pytest.approx(2 / 2.25)


def test_disagreement_counts_labels_against_the_decision():
    """A score at the threshold is a decision for the positive class."""
    table = ScoreTable.from_arrays([0.2, 0.5, 0.7, 0.9], [1, 0, 1, 1])
    assert table.disagreement() == 0.5
    assert table.disagreement(threshold=0.6) == 0.25


def test_a_table_of_one_class_can_be_built_but_not_fitted():
    """A shard may lack a class; a fit may not."""
    table = ScoreTable.from_arrays([0.2, 0.8], [0, 0])
    with pytest.raises(InputError, match="no positive label in 2 rows"):
        LWCal().fit_table(table)


def test_repr_says_what_it_holds():
    """Short, with the three numbers people ask for."""
    table = ScoreTable.from_arrays([0.2, 0.8, 0.8], [0, 1, 0])
    assert repr(table) == "ScoreTable(3 rows, 2 distinct scores, 33.3% positive)"
    assert "ScoreTable(no rows)" in repr(CheckedTable.nothing())


def test_nothing_to_merge_is_refused():
    """Merging needs at least one table, and only tables."""
    with pytest.raises(InputError, match="no table to merge"):
        ScoreTable.merge([])
    with pytest.raises(TypeError):
        ScoreTable.from_arrays([0.5], [1]) + 1


COLUMNS = {"scores": [0.1, 0.2], "negatives": [1.0, 0.0], "positives": [0.0, 2.0]}
WRONG = {
    "lengths": ({"positives": [1.0]}, "2 scores but 1 positives"),
    "no rows": ({"scores": [], "negatives": [], "positives": []}, "at least one score"),
    "NaN": ({"negatives": [1.0, np.nan]}, "finite"),
    "text": ({"scores": ["a", "b"]}, "numbers"),
    "two columns": ({"scores": [[0.1], [0.2]]}, r"shape \(2, 1\)"),
    "outside": ({"scores": [0.1, 1.2]}, r"\[0, 1\]"),
    "order": ({"scores": [0.2, 0.1]}, "increase"),
    "repeated": ({"scores": [0.2, 0.2]}, "increase"),
    "negative": ({"negatives": [1.0, -1.0]}, "not be negative"),
    "without weight": ({"positives": [0.0, 0.0]}, "positive count"),
    "one end of the bins": ({"low": [0.1, 0.2]}, "high"),
    "outside its bin": ({"low": [0.1, 0.2], "high": [0.1, 0.3]}, "within their bins"),
    "score outside its bin": ({"low": [0.1, 0.3], "high": [0.1, 0.3]}, "within their bins"),
    "limit": ({"limit": -1}, "limit is -1"),
}


@pytest.mark.parametrize(("wrong", "expected"), WRONG.values(), ids=WRONG)
def test_the_constructor_checks_its_arguments(wrong, expected):
    """No kernel is reached with counts that it cannot use."""
    with pytest.raises(InputError, match=expected):
        ScoreTable(**{**COLUMNS, **wrong})


def test_the_constructor_keeps_contiguous_floats_of_its_own():
    """Lists, other types and strides are converted; later changes to the arguments do not count."""
    given = np.array([0.1, 0.5, 0.2, 0.5])
    table = ScoreTable(given[::2], [1, 0], np.array([0, 2], dtype=np.int8))
    given[0] = 0.9
    assert table.scores.tolist() == [0.1, 0.2]
    for column in (table.scores, table.negatives, table.positives):
        assert column.dtype == np.float64
        assert column.flags["C_CONTIGUOUS"]
    assert same(table, ScoreTable(**COLUMNS))
    assert table.limit is None
    assert ScoreTable(**COLUMNS, limit=np.int64(5)).limit == 5


def test_a_rounded_table_can_be_built_again_from_its_columns():
    """Bins, limit and all."""
    table = ScoreTable.from_frame(
        {"s": [0.5, 0.5 + 2**-22, 0.9], "y": [0, 1, 1]}, "s", "y", limit=1
    )
    columns = (table.scores, table.negatives, table.positives, table.low, table.high)
    again = ScoreTable(*columns, limit=table.limit)
    assert (again.grid, again.limit, again.n) == (table.grid, 1, 3)
    assert same(again + again, table + table)


@pytest.mark.parametrize("n", [200, 12_210])
def test_different_lengths_are_stated(n):
    """Both numbers, in the words of the caller."""
    with pytest.raises(InputError, match=f"{n:,} scores but {n - 1:,} labels"):
        ScoreTable.from_arrays(np.full(n, 0.5), np.zeros(n - 1))
    with pytest.raises(InputError, match=f"{n:,} rows but {n - 1:,} weights"):
        ScoreTable.from_arrays(np.full(n, 0.5), np.zeros(n), np.ones(n - 1))


def test_arrays_can_be_pooled_without_their_invalid_rows():
    """With a warning that names this file, and the same table as the valid rows."""
    with pytest.warns(DroppedRowsWarning, match="dropped 3 of 6 rows") as warned:
        table = ScoreTable.from_arrays(
            [0.1, None, 0.3, 1.5, 0.5, 0.3], [0, 1, 1, 0, None, 0], [1, 1, 2, 1, 1, 0.5],
            drop_invalid=True,
        )  # fmt: skip
    assert warned[0].filename == __file__
    assert same(table, ScoreTable.from_arrays([0.1, 0.3, 0.3], [0, 1, 0], [1, 2, 0.5]))
    assert table.limit is None
    valid = ScoreTable.from_arrays([0.1, 0.3], [0, 1], drop_invalid=True)
    assert valid.n == 2


def test_a_table_stands_in_for_rows_alone():
    """With labels or weights beside it, one of the two would be ignored."""
    table = ScoreTable.from_arrays([0.2, 0.8], [0, 1])
    assert as_table(table) is table
    assert same(as_table([0.2, 0.8], [0, 1]), table)
    for beside in ({"y": [0, 1]}, {"sample_weight": [1, 1]}, {"pos_label": 1}):
        with pytest.raises(InputError, match=next(iter(beside))):
            as_table(table, **beside)
    with pytest.raises(InputError, match="y is missing"):
        as_table([0.2, 0.8])
