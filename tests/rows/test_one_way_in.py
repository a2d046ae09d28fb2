"""The same values are judged alike, whichever way they come in."""

import csv
import re
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from lwcal import ScoreTable
from lwcal.engines.duckdb import reduce
from lwcal.errors import DroppedRowsWarning, LwcalError

DATABASE = duckdb.connect()
"""One for all tests: a new one takes longer than the rows."""
NA = object()
"""Stands for pandas.NA, which only pandas has; elsewhere for None."""


def plain(values):
    """Values for sources that do not know pandas.NA."""
    return [None if value is NA else value for value in values]


def with_na(values):
    """Values for pandas."""
    return [pd.NA if value is NA else value for value in values]


def from_columns(make):
    """A way in through arrays."""
    return lambda s, y, _, **options: ScoreTable.from_arrays(make(s), make(y), **options)


def from_frame(make):
    """A way in through frames."""
    return lambda s, y, _, **options: ScoreTable.from_frame(
        make({"s": s, "y": y}), "s", "y", **options
    )


def objects(values):
    """An object array."""
    array = np.empty(len(values), dtype=object)
    array[:] = plain(values)
    return array


def masked(values):
    """A masked array: what is missing is hidden behind another value."""
    hidden = [value is None or value is NA or value != value for value in values]
    kept = [value for value, is_hidden in zip(values, hidden, strict=True) if not is_hidden]
    data = [kept[0] if is_hidden else v for v, is_hidden in zip(values, hidden, strict=True)]
    return np.ma.array(np.array(data), mask=hidden)


def nullable(values):
    """A pandas Series of the best nullable type."""
    return pd.Series(with_na(values), dtype=object).convert_dtypes()


def categorical(values):
    """A pandas Series of categories."""
    return pd.Series(with_na(values), dtype=object).astype("category")


def texts(values):
    """Values as a file of text holds them."""
    return ["" if value is None or value is NA else str(value) for value in values]


def arrow(values):
    """An Arrow array; a column of mixed types is text there."""
    try:
        return pa.array(plain(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if v is None else str(v) for v in plain(values)])


def polars(values):
    """A polars Series, likewise."""
    return pl.Series(arrow(values))


def through_csv(s, y, folder, **options):
    """A CSV file, read by DuckDB."""
    path = folder / "rows.csv"
    with path.open("w", newline="") as handle:
        csv.writer(handle, quoting=csv.QUOTE_ALL).writerows(
            [("s", "y"), *zip(texts(s), texts(y), strict=True)]
        )
    return reduce(path, "s", "y", connection=DATABASE, **options)


def through_parquet(s, y, folder, **options):
    """A Parquet file, read by DuckDB."""
    path = folder / "rows.parquet"
    pa.parquet.write_table(pa.table({"s": arrow(s), "y": arrow(y)}), path)
    return reduce(path, "s", "y", connection=DATABASE, **options)


def in_batches(s, y, _, **options):
    """One batch for each row."""
    rows = zip(objects(s), objects(y), strict=True)
    batches = ({"s": objects([a]), "y": objects([b])} for a, b in rows)
    return ScoreTable.from_batches(batches, "s", "y", **options)


WAYS = {
    "list": from_columns(plain),
    "numpy": from_columns(lambda values: np.array(plain(values))),
    "objects": from_columns(objects),
    "masked": from_columns(masked),
    "pandas": from_columns(lambda values: pd.Series(with_na(values))),
    "pandas nullable": from_columns(nullable),
    "pandas categorical": from_columns(categorical),
    "polars": from_columns(polars),
    "pyarrow": from_columns(arrow),
    "pyarrow dictionary": from_columns(lambda values: arrow(values).dictionary_encode()),
    "mapping": from_frame(lambda d: {name: plain(values) for name, values in d.items()}),
    "pandas frame": from_frame(lambda d: pd.DataFrame({k: with_na(v) for k, v in d.items()})),
    "nullable frame": from_frame(lambda d: pd.DataFrame({k: nullable(v) for k, v in d.items()})),
    "polars frame": from_frame(lambda d: pl.DataFrame({k: polars(v) for k, v in d.items()})),
    "arrow table": from_frame(lambda d: pa.table({k: arrow(v) for k, v in d.items()})),
    "batches": in_batches,
    "csv": through_csv,
    "parquet": through_parquet,
}  # fmt: skip

GOOD = [0.5, 0.25, 0.75, 0.5]
SCORES = {
    "numbers": (GOOD, None),
    "text": (["0.5", "0.25", " 0.75", "5e-1"], None),
    "decimals": ([Decimal("0.5"), Decimal("0.25"), Decimal("0.75"), Decimal("0.5")], None),
    "integers": ([0, 1, 1, 0], None),
    "booleans": ([False, True, True, False], None),
    "NaN": ([0.5, float("nan"), 0.75, 0.5], "missing"),
    "None": ([0.5, None, 0.75, 0.5], "missing"),
    "pandas.NA": ([0.5, NA, 0.75, 0.5], "missing"),
    "the word NA": ([0.5, "NA", 0.75, 0.5], "missing"),
    "the word null": ([0.5, " null ", 0.75, 0.5], "missing"),
    "empty text": ([0.5, "", 0.75, 0.5], "missing"),
    "infinite": ([0.5, float("inf"), 0.75, 0.5], "infinite"),
    "above": ([0.5, 1.5, 0.75, 0.5], "outside"),
    "below": ([0.5, -0.1, 0.75, 0.5], "outside"),
    "a word": ([0.5, "abc", 0.75, 0.5], "not numeric"),
    "an underscore": ([0.5, "0_1", 0.75, 0.5], "not numeric"),
}
LABELS = {
    "0 and 1": ([0, 1, 1, 0], None),
    "floats": ([0.0, 1.0, 1.0, 0.0], None),
    "text of numbers": (["0", "1", "1.0", "0"], None),
    "1, 1.0 and '1'": ([0, 1, 1.0, "0"], None),
    "signs": ([-1, 1, 1, -1], None),
    "booleans": ([False, True, True, False], None),
    "words for booleans": (["false", "True", "TRUE", "False"], None),
    "yes and no": (["no", "yes", "yes", "no"], None),
    "any case, with blanks": (["No", "Yes", " YES ", "no"], None),
    "decimals": ([Decimal(0), Decimal(1), Decimal(1), Decimal(0)], None),
    "NaN": ([0, float("nan"), 1, 0], "missing"),
    "None": (["no", None, "yes", "no"], "missing"),
    "pandas.NA": ([0, NA, 1, 0], "missing"),
    "the word NA": (["no", "NA", "yes", "no"], "missing"),
    "empty text": (["no", "", "yes", "no"], "missing"),
    "a third number": ([0, 2, 1, 0], "not 0 or 1"),
    "a third word": (["no", "?", "yes", "no"], "not 'no' or 'yes'"),
}  # fmt: skip
CASES = {
    **{f"score: {name}": (scores, [0, 1, 1, 0], bad) for name, (scores, bad) in SCORES.items()},
    **{f"label: {name}": (GOOD, labels, bad) for name, (labels, bad) in LABELS.items()},
}


def contents(table):
    """Scores and counts of a table."""
    return [column.tolist() for column in (table.scores, table.negatives, table.positives)]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("scores", "labels", "bad"), CASES.values(), ids=CASES)
def test_the_same_values_are_judged_alike(scores, labels, bad, way, tmp_path):
    """The same table, or the same error with the same count and first row."""
    expected = ScoreTable.from_arrays([0.5, 0.25, 0.75, 0.5], [0, 1, 1, 0])
    if scores is not GOOD and not isinstance(scores[0], (float, str, Decimal)):
        expected = ScoreTable.from_arrays([0, 1, 1, 0], [0, 1, 1, 0])
    if bad is None:
        assert contents(way(scores, labels, tmp_path)) == contents(expected)
        return
    with pytest.raises(LwcalError) as raised:
        way(scores, labels, tmp_path)
    text = (
        str(raised.value).replace("'0' or '1'", "0 or 1").replace("'yes' or 'no'", "'no' or 'yes'")
    )
    text = text.replace("0.0 or 1.0", "0 or 1")
    assert type(raised.value).__name__ == "InputError"
    assert f"1 of 4 values is {bad}" in text
    assert "the first in row 1 (" in text
    assert "drop_invalid=True" in text
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 4 rows"):
        table = way(scores, labels, tmp_path, drop_invalid=True)
    rest = ScoreTable.from_arrays([0.5, 0.75, 0.5], [0, 1, 0])
    assert contents(table) == contents(rest)


POSITIVE = {
    "another case": (["No", "YES", "yes", "no"], "yes"),
    "a number for text": (["0", "1", "1.0", "0"], 1),
    "text for a number": ([0, 1, 1.0, 0], "1"),
    "True for words": (["False", "true", "TRUE", "false"], True),
    "words": (["good", "bad", "Bad ", "good"], "BAD"),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("labels", "pos_label"), POSITIVE.values(), ids=POSITIVE)
def test_the_positive_class_is_found_alike(labels, pos_label, way, tmp_path):
    """However it is spelled."""
    table = way(GOOD, labels, tmp_path, pos_label=pos_label)
    assert contents(table) == contents(ScoreTable.from_arrays(GOOD, [0, 1, 1, 0]))


REFUSED = {
    "no row": ([], [], None, "no rows"),
    "unclear": (GOOD, ["a", "b", "a", "b"], None, "'a' and 'b'"),
    "unknown": (GOOD, ["a", "b", "a", "b"], "c", "pos_label='c'"),
    "three classes": (GOOD, ["a", "b", "c", "c"], None, "3 distinct values"),
    "mostly text": (["x", "y", "z", 0.5], [0, 1, 1, 0], None, "3 of 4 .* look like text"),
    "mostly missing": ([None, None, None, 0.5], [0, 1, 1, 0], None, "3 of 4 .* mostly missing"),
    "percentages": ([50, 25, 75, 0.5], [0, 1, 1, 0], None, "3 of 4 .*--score-scale percent"),
    "logits": ([-5.0, 2.5, 0.75, -0.5], [0, 1, 1, 0], None, "3 of 4 .*--score-scale logit"),
    "no label": (GOOD, [None, None, None, 1], None, "3 of 4 .* mostly missing"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("s", "y", "pos_label", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_column_that_is_no_good_is_refused_alike(s, y, pos_label, expected, way, tmp_path):
    """And dropping most of the rows is never suggested."""
    if not s and way in (WAYS["csv"], WAYS["parquet"], WAYS["batches"]):
        expected = "no rows|at least one row"
    with pytest.raises(LwcalError) as raised:
        way(s, y, tmp_path, pos_label=pos_label)
    assert re.search(expected, str(raised.value))
    assert "drop" not in str(raised.value)
