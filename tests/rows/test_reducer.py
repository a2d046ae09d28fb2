"""Rows of frames: every kind is understood, every bad row is counted."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import ScoreTable
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError
from tests.strategies import rows

SCORES, LABELS, WEIGHTS = [0.3, 0.1, 0.3, 0.9], [1, 0, 0, 1], [1.0, 2.0, 0.5, 0.0]
DATA = {"s": SCORES, "y": LABELS, "w": WEIGHTS}


def dataset(folder):
    """Two files of Parquet."""
    table = pa.table(DATA)
    pa.parquet.write_table(table.slice(0, 2), folder / "a.parquet")
    pa.parquet.write_table(table.slice(2), folder / "b.parquet")
    return ds.dataset(folder)


class OnlyAStream:
    """Nothing but Arrow's stream interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(DATA).__arrow_c_stream__(requested_schema)


class OnlyAnArray:
    """Nothing but Arrow's array interface."""

    def __arrow_c_array__(self, requested_schema=None):
        return pa.record_batch(DATA).__arrow_c_array__(requested_schema)


def relation():
    """A query of DuckDB."""
    import duckdb

    rows = pa.table(DATA)  # noqa: F841  # which DuckDB finds by its name
    return duckdb.connect().sql("SELECT * FROM rows")


FRAMES = {
    "mapping": lambda _: DATA,
    "pandas": lambda _: pd.DataFrame(DATA),
    "pandas nullable": lambda _: pd.DataFrame(DATA).convert_dtypes(),
    "pandas on Arrow": lambda _: pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda _: pl.DataFrame(DATA),
    "polars lazy": lambda _: pl.LazyFrame(DATA),
    "arrow table": lambda _: pa.table(DATA),
    "arrow batch": lambda _: pa.record_batch(DATA),
    "arrow reader": lambda _: pa.table(DATA).to_reader(),
    "arrow dataset": dataset,
    "stream": lambda _: OnlyAStream(),
    "array": lambda _: OnlyAnArray(),
    "duckdb": lambda _: relation(),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("weight", [None, "w"])
def test_frames_of_every_kind_give_the_same_table(make, weight, tmp_path):
    """As the arrays in them do."""
    found = ScoreTable.from_frame(make(tmp_path), "s", "y", weight)
    expected = ScoreTable.from_arrays(SCORES, LABELS, WEIGHTS if weight else None)
    for name in ("scores", "negatives", "positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_lazy_frames_of_polars_come_in_batches(monkeypatch, tmp_path):
    """Where polars can; before, they were collected."""
    pl.DataFrame(DATA).write_parquet(tmp_path / "rows.parquet")
    lazy = pl.scan_parquet(tmp_path / "rows.parquet")
    whole = ScoreTable.from_frame(DATA, "s", "y")
    with monkeypatch.context() as patch:
        patch.setattr(pl.LazyFrame, "collect", None)  # there, but not to be called
        assert ScoreTable.from_frame(lazy, "s", "y").n == whole.n
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    assert ScoreTable.from_frame(lazy, "s", "y").n == whole.n


def test_columns_of_numbers_are_not_copied():
    """What is counted is the frame's own memory."""
    from lwcal.rows.frames import columns_of

    scores = np.array(SCORES)
    for frame in (pd.DataFrame({"s": scores}, copy=False), pa.table({"s": scores}), {"s": scores}):
        ((column,),) = columns_of(frame, ["s"])
        values = column.to_numpy() if isinstance(column, pa.Array) else column
        assert np.shares_memory(values, scores)


LABEL_KINDS = {
    "integers": [0, 1, 1],
    "small": np.array([0, 1, 1], dtype=np.int8),
    "floats": [0.0, 1.0, 1.0],
    "booleans": [False, True, True],
    "signs": [-1, 1, 1],
    "words": ["no", "Yes", "Yes"],
    "categories": pd.Categorical(["no", "yes", "yes"]),
}


@pytest.mark.parametrize("labels", LABEL_KINDS.values(), ids=LABEL_KINDS)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_labels_of_every_kind_are_understood(labels, make):
    """Over several batches, of which some lack a class."""
    frame = pd.DataFrame({"s": [0.1, 0.5, 0.9], "y": labels})
    batches = [frame[:1], frame[1:]]
    if make is not pd.DataFrame:
        batches = map(make, batches)
    table = ScoreTable.from_batches(batches, "s", "y")
    assert (table.n_negative, table.n_positive) == (1, 2)
    assert table.positives.tolist() == [0, 1, 1]


def test_the_positive_class_can_be_named():
    """Words that do not explain themselves need it; also where a part has one class only."""
    frame = {"s": [0.1, 0.5], "y": ["good", "bad"]}
    assert ScoreTable.from_frame(frame, "s", "y", pos_label="bad").positives.tolist() == [0, 1]
    with pytest.raises(InputError, match="pos_label="):
        ScoreTable.from_frame(frame, "s", "y")
    for word, positive in (("yes", 1), ("no", 0)):
        table = ScoreTable.from_frame({"s": [0.5], "y": [word]}, "s", "y")
        assert table.n_positive == positive


INVALID = {
    "missing score": ({"s": [0.5, None, 0.2]}, "column 's': 1 is missing"),
    "NaN score": ({"s": [0.5, np.nan, 0.2]}, "missing, the first in row 1"),
    "infinite score": ({"s": [0.5, np.inf, 0.2]}, "infinite, the first in row 1 (inf)"),
    "above": ({"s": [0.5, 1.25, 0.2]}, "outside [0, 1], the first in row 1 (1.25)"),
    "below": ({"s": [0.5, -0.25, 0.2]}, "outside [0, 1], the first in row 1 (-0.25)"),
    "word": ({"s": ["0.5", "high", "0.2"]}, "not numeric, the first in row 1 ('high')"),
    "missing label": ({"y": [1, None, 0]}, "column 'y': 1 is missing, the first in row 1"),
    "missing word": ({"y": ["yes", None, "no"]}, "column 'y': 1 is missing, the first in row 1"),
    "third label": ({"y": [1, 2, 0]}, "1 is not 0 or 1, the first in row 1 (2)"),
    "third word": ({"y": ["yes", "?", "no"]}, "'yes' or 'no', the first in row 1 ('?')"),
    "negative weight": ({"w": [1.0, -1.0, 1.0]}, "column 'w': 1 is invalid"),
    "missing weight": ({"w": [1.0, None, 1.0]}, "column 'w': 1 is invalid"),
}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame], ids=["pa", "pd", "pl"])
@pytest.mark.parametrize(("wrong", "told"), INVALID.values(), ids=INVALID)
def test_rows_that_cannot_be_used_are_refused_or_dropped(wrong, told, make):
    """One of three, told with its row; without it the table is that of the other two."""
    data = {"s": [0.5, 0.9, 0.2], "y": [1, 1, 0], "w": [1.0, 1.0, 1.0], **wrong}
    with pytest.raises(InputError, match=r"1 of 3 .* the first in row 1 .*--drop-invalid"):
        ScoreTable.from_frame(make(data), "s", "y", "w")
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 3 rows: ") as warned:
        table = ScoreTable.from_frame(make(data), "s", "y", "w", drop_invalid=True)
    assert told in str(warned[0].message)
    assert warned[0].filename == __file__
    assert (table.scores.tolist(), table.n_positive) == ([0.2, 0.5], 1)


def test_a_row_that_is_wrong_twice_counts_once():
    """Under what was looked at first; other faults are told besides."""
    frame = {"s": [0.5, np.nan, 7.0, 0.1], "y": [1, None, 0, 0]}
    with pytest.warns(DroppedRowsWarning, match="dropped 2 of 4 rows"):
        assert ScoreTable.from_frame(frame, "s", "y", drop_invalid=True).n == 2
    with pytest.raises(InputError, match=r"1 of 4 .*column 's': 1 is outside"):
        ScoreTable.from_frame(frame, "s", "y")


@given(
    data=rows(min_size=4, both_classes=True),
    bad=st.lists(st.sampled_from([np.nan, 2.0, -1.0]), min_size=1, max_size=5),
    junk=st.lists(st.sampled_from([7, 9]), max_size=2),
)
def test_dropping_leaves_what_the_valid_rows_give(data, bad, junk):
    """Whatever is dropped leaves no trace, not even in the bins of the grid."""
    scores, labels = data
    mixed = {
        "s": np.concatenate([bad, np.full(len(junk), 0.5), scores]),
        "y": np.concatenate([np.ones(len(bad)), junk, labels]),
    }
    with pytest.warns(DroppedRowsWarning):
        found = ScoreTable.from_frame(
            mixed, "s", "y", drop_invalid=True, allow_drop_share=1.0, limit=0
        )
    expected = ScoreTable.from_frame({"s": scores, "y": labels}, "s", "y", limit=0)
    for name in ("low", "high", "negatives", "positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


REFUSED = {
    "no rows": ({"s": [], "y": []}, "column 's' has no rows"),
    "lengths": ({"s": [0.5, 0.6], "y": [1]}, "2 values in column 's' but 1 in column 'y'"),
    "three classes": ({"s": [0.1, 0.2, 0.3], "y": ["a", "b", "c"]}, "3 distinct values"),
    "numbers": ({"s": [0.1] * 5, "y": [1, 2, 3, 4, 5]}, "5 distinct values"),
    "too many": ({"s": [0.5] * 2000, "y": range(2000)}, "more than 998"),
    "lists": ({"s": [0.1] * 3, "y": [[1], [2], [3]]}, "3 distinct values"),
    "no weight": ({"s": [0.5], "y": [1], "w": [0]}, "every weight is zero"),
    "no column": ({"s": [0.5]}, "no column 'y'.* s\\."),
}


@pytest.mark.parametrize(("data", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_understood_is_refused(data, told):
    """In our words."""
    weight = "w" if "w" in data else None
    frame = pd.DataFrame(data) if told.startswith("3") else data
    with pytest.raises(InputError, match=told):
        ScoreTable.from_frame(frame, "s", "y", weight)


@pytest.mark.filterwarnings("ignore:dropped")
def test_nothing_is_left_when_all_rows_are_dropped():
    """And that is told as well."""
    frame, options = {"s": [2.0, 3.0], "y": [0, 1]}, {"drop_invalid": True, "allow_drop_share": 1}
    with pytest.raises(InputError, match="dropped 2 of 2 rows"):
        ScoreTable.from_frame(frame, "s", "y", **options)


def test_what_is_no_frame_is_refused():
    """By its name."""
    with pytest.raises(InputError, match=r"builtins\.int"):
        ScoreTable.from_frame(5, "s", "y")


def reusing_batches(n_batches, rows, weights):
    """Yield the same arrays again and again, with other rows in them."""
    rng = np.random.default_rng(0)
    batch = {"s": np.empty(rows), "y": np.empty(rows, dtype=np.bool_), "w": np.empty(rows)}
    for _ in range(n_batches):
        batch["s"][:] = rng.random(rows)
        batch["y"][:] = rng.random(rows) < batch["s"]
        batch["w"][:] = rng.random(rows) if weights else 1.0
        yield batch


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("limit", [None, 100])
def test_a_generator_may_reuse_its_arrays(weight, limit):
    """Rows that wait to be pooled are copied, so that the next batch does not change them."""
    found = ScoreTable.from_batches(reusing_batches(7, 50, weight), "s", "y", weight, limit=limit)
    kept = [
        {name: column.copy() for name, column in batch.items()}
        for batch in reusing_batches(7, 50, weight)
    ]
    expected = ScoreTable.from_batches(kept, "s", "y", weight, limit=limit)
    for name in ("scores", "negatives", "positives"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert (found.grid is None) == (limit is None)


def test_batches_without_rows_are_skipped():
    """Some of them may be empty, not all."""
    batches = [{"s": [], "y": []}, {"s": [0.5], "y": [1]}, {"s": [], "y": []}]
    assert ScoreTable.from_batches(batches, "s", "y").n == 1


def test_what_was_done_with_the_rows_is_logged(caplog):
    """Read, pooled, rounded and dropped, at INFO, under the name of the package."""
    caplog.set_level("INFO", logger="lwcal")
    ScoreTable.from_arrays(np.array([0.5, 0.5, 0.7]), np.array([0, 1, 1]))
    with pytest.warns(DroppedRowsWarning):
        ScoreTable.from_frame(
            {"s": [0.5, None, 0.7], "y": ["no", "no", "yes"]}, "s", "y", limit=1, drop_invalid=True
        )
    plain, rounded, dropped = caplog.messages
    assert all(record.name.startswith("lwcal.") for record in caplog.records)
    assert "3 rows" in plain
    assert "2 distinct scores" in plain
    assert "rounded" in rounded
    assert "dropped 1 of 3 rows" in dropped


def test_a_column_has_one_role():
    """Labels that are taken for scores would look like a perfect model."""
    with pytest.raises(ParameterError, match="score 'y', label 'y'"):
        ScoreTable.from_frame(DATA, "y", "y")
    with pytest.raises(ParameterError, match="weight 'y'"):
        ScoreTable.from_frame(DATA, "s", "y", "y")


def test_two_columns_of_one_name_are_refused():
    """Nobody can tell which of them is meant."""
    twice = pa.table([pa.array(SCORES), pa.array(SCORES), pa.array(LABELS)], names=["s", "s", "y"])
    with pytest.raises(InputError, match="2 columns 's'"):
        ScoreTable.from_frame(twice, "s", "y")
