"""Tables of many segments are those that each segment's rows give alone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lwcal
from lwcal import ScoreTable
from lwcal.errors import DroppedRowsWarning, InputError
from lwcal.segments import segment_tables
from lwcal.segments.tables import MOST_GAPS

ROWS = 3_000


def _rows(distinct=None, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random(ROWS)
    scores = scores if distinct is None else np.round(scores * distinct) / distinct
    return scores, (rng.random(ROWS) < scores).astype(int), rng.integers(0, 7, ROWS)


def _assert_same(found, expected):
    assert (found.scale, found.limit, found.n) == (expected.scale, expected.limit, expected.n)
    for name in ("scores", "negatives", "positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("distinct", [None, 900, 5])
@pytest.mark.parametrize(("scale", "unit"), [("probability", 1.0), ("percent", 100.0)])
def test_tables_are_those_of_each_segment(distinct, weighted, scale, unit):
    """With and without ties and weights, on every scale, to the last bit."""
    scores, labels, segments = _rows(distinct)
    weights = np.where(segments == 3, 0.0, np.arange(ROWS) % 5) if weighted else None
    tables = segment_tables(unit * scores, labels, segments, weights, scale=scale)
    assert list(tables) == [k for k in range(7) if not (weighted and k == 3)]
    for name, table in tables.items():
        mine = segments == name
        given = None if weights is None else weights[mine]
        alone = ScoreTable.from_arrays(unit * scores[mine], labels[mine], given, scale=scale)
        _assert_same(table, alone)
        assert (table.labels is None) == (alone.labels is None)


@pytest.mark.parametrize(
    "names",
    [
        np.arange(7),
        np.arange(7, dtype=np.uint8),
        np.arange(-128, -121, dtype=np.int8),
        np.array([3, 4, 5, 7, 8, 9, 12]),
        np.arange(7) * 1000,
        np.arange(7) * ROWS * MOST_GAPS,
        np.array([0, 2**64 - 1, 1, 2, 3, 4, 5], dtype=np.uint64),
        np.array([False, True] * 3 + [True]),
        np.array([0.5, np.nan, 1.0, 2.0, 3.0, 4.0, 5.0]),
        np.array(["NL", "nan", "", "007", "LU", "BE", "DE"]),
        pd.Series(["NL", None, "", "007", "LU", "BE", "DE"]),
        pl.Series(["NL", None, "", "007", "LU", "BE", "DE"]),
        [("NL", 1), ("NL", 2), ("NL", None), ("BE", 1), ("LU", 1), ("DE", 1), ("DE", 2)],
        pd.DataFrame({"a": list("abababa"), "b": range(7)}),
    ],
    ids=lambda names: f"{type(names).__name__}-{getattr(names, 'dtype', '')}",
)
def test_segments_of_any_type_are_found_by_predict(names):
    """The rows of a table are those to which a fit would give its calibrator."""
    scores, labels, places = _rows()
    taken = names.iloc if isinstance(names, (pd.Series, pd.DataFrame)) else names
    segments = [names[k] for k in places] if isinstance(names, list) else taken[places]
    tables = segment_tables(scores, labels, segments)
    listed = lwcal.segments.naming.names_of_rows(segments)
    assert set(tables) == set(listed)
    for name, table in tables.items():
        mine = np.array([one == name for one in listed])
        _assert_same(table, ScoreTable.from_arrays(scores[mine], labels[mine]))
    fitted = lwcal.fit_segments(tables, lwcal.Platt())
    assert np.isfinite(fitted.predict(scores, segments)).all()


def test_labels_are_understood_together():
    """A segment may have labels of one class, and then nothing tells what they mean."""
    tables = segment_tables([0.1, 0.2, 0.9], ["bad", "good", "good"], [1, 1, 2], pos_label="good")
    assert {name: table.totals for name, table in tables.items()} == {1: (1.0, 1.0), 2: (0.0, 1.0)}


def test_invalid_rows_are_dropped_or_refused_with_their_numbers():
    """Rows are numbered as they were given, not within their segment."""
    columns = np.array([0.1, 0.9, 0.3, np.nan]), ["no", "yes", "?", "yes"], [1, 1, 1, 2]
    with pytest.raises(InputError, match="row 3"):
        segment_tables(*columns)
    with pytest.warns(DroppedRowsWarning, match="2 of 4 rows"):
        tables = segment_tables(*columns, drop_invalid=True, pos_label="yes")
    assert {name: table.n for name, table in tables.items()} == {1: 2}


@pytest.mark.parametrize(
    ("segments", "weights", "message"),
    [([1, 2], None, "3 scores but 2 segments"), ([1, 2, 3], [0, 0, 0], "zero")],
)
def test_what_cannot_be_divided_is_refused(segments, weights, message):
    """Columns of different lengths, and weights that leave no row."""
    with pytest.raises(InputError, match=message):
        segment_tables([0.1, 0.5, 0.9], [0, 1, 1], segments, weights)


def test_weights_that_cannot_be_counted_are_refused():
    """Single rows would be lost beside them, as in a table of all rows."""
    with pytest.raises(InputError, match="can be counted"):
        segment_tables([0.1, 0.2], [0, 1], [1, 1], [1e15, 1e15])
