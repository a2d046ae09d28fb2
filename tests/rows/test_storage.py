"""Tables on disk: the same bits, and refused when damaged."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from lwcal import ScoreTable
from lwcal.errors import ArtifactError, OutputError
from lwcal.rows.counts import GRID
from lwcal.rows.storage import is_table_file
from tests.strategies import rows


@given(data=rows(both_classes=False), limit=st.sampled_from([None, 0, 5, 2**20]))
def test_what_is_saved_is_loaded(tmp_path_factory, data, limit):
    """Exact or rounded, with its limit."""
    path = tmp_path_factory.mktemp("tables") / "t.parquet"
    table = ScoreTable.from_frame(dict(zip("sy", data, strict=True)), "s", "y", limit=limit)
    table.save(path)
    loaded = ScoreTable.load(path)
    assert (loaded.limit, loaded.grid) == (table.limit, table.grid)
    for name in ("scores", "negatives", "positives", "low", "high"):
        a, b = getattr(table, name), getattr(loaded, name)
        assert (a is None) == (b is None)
        assert a is None or a.tobytes() == b.tobytes()
    assert is_table_file(path)


def write(path, columns, about):
    """A file with these columns, which says this of itself."""
    told = {b"lwcal_table": json.dumps(about).encode()} if about is not None else {}
    parquet.write_table(pa.table(columns).replace_schema_metadata(told), path)


EXACT = {"version": 1, "grid": None, "limit": None}
ROUNDED = {"version": 1, "grid": GRID, "limit": 5}
GOOD = {"score": [0.1, 0.2], "negatives": [1.0, 0.0], "positives": [0.0, 2.0]}
BINS = {"low": [0.5], "high": [0.5], "negatives": [1.0], "positives": [0.0]}
DAMAGED = {
    "other file": (GOOD, None, "not a saved table"),
    "newer": (GOOD, {**EXACT, "version": 2}, "newer version"),
    "grid": (GOOD, {**EXACT, "grid": 0.25}, "newer version"),
    "limit": (GOOD, {**EXACT, "limit": "many"}, "limit .* whole number"),
    "about": (GOOD, [1], "description"),
    "columns": ({"score": [0.1]}, EXACT, "score, negatives"),
    "types": ({**GOOD, "score": ["a", "b"]}, EXACT, "score, negatives"),
    "order": ({**GOOD, "score": [0.2, 0.1]}, EXACT, "increase"),
    "range": ({**GOOD, "score": [0.2, 1.5]}, EXACT, r"\[0, 1\]"),
    "NaN": ({**GOOD, "score": [0.2, np.nan]}, EXACT, "finite"),
    "weight": ({**GOOD, "negatives": [0.0, 0.0]}, EXACT, "positive count"),
    "negative": ({**GOOD, "negatives": [2.0, -1.0]}, EXACT, "not be negative"),
    "bins": ({**BINS, "high": [0.6]}, ROUNDED, "within their bins"),
    "ends": ({**BINS, "high": [0.4]}, ROUNDED, "within their bins"),
}


@pytest.mark.parametrize(("columns", "about", "told"), DAMAGED.values(), ids=DAMAGED)
def test_what_save_could_not_have_written_is_refused(tmp_path, columns, about, told):
    """With the file's name."""
    write(tmp_path / "t.parquet", columns, about)
    with pytest.raises(ArtifactError, match=told) as raised:
        ScoreTable.load(tmp_path / "t.parquet")
    assert "t.parquet" in str(raised.value)


def test_what_is_no_parquet_is_refused(tmp_path):
    """Truncated, and missing, which is the system's to tell."""
    path = tmp_path / "t.parquet"
    ScoreTable.from_arrays([0.2, 0.8], [0, 1]).save(path)
    path.write_bytes(path.read_bytes()[:100])
    assert not is_table_file(path)
    with pytest.raises(ArtifactError, match=r"t\.parquet cannot be read"):
        ScoreTable.load(path)
    with pytest.raises(FileNotFoundError):
        ScoreTable.load(tmp_path / "none.parquet")


def test_files_are_replaced_on_request_only(tmp_path):
    """A file of that name is kept unless ``overwrite`` is passed."""
    table = ScoreTable.from_arrays([0.2, 0.8], [0, 1])
    table.save(tmp_path / "t.parquet")
    with pytest.raises(OutputError, match="--force"):
        table.save(tmp_path / "t.parquet")
    (table + table).save(tmp_path / "t.parquet", overwrite=True)
    assert ScoreTable.load(tmp_path / "t.parquet").n == 4
