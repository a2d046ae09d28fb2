"""Rows from files of all formats, from several files, and from standard input."""

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

import lwcal
from lwcal.cli.output import write_table
from lwcal.cli.sources import read_table
from tests.cli.helpers import call


@pytest.fixture
def formats(here):
    """The same rows in every format that can be read."""
    frame = pd.read_csv("scores.csv")
    frame.to_json("scores.jsonl", orient="records", lines=True, double_precision=15)
    Path("scores.ndjson").write_bytes(Path("scores.jsonl").read_bytes())
    frame.to_feather("scores.feather")
    frame.to_feather("scores.ipc", compression="lz4")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with ipc.new_stream("scores.arrow", table.schema) as writer:
        writer.write_table(table)
    for name in ("scores.csv", "scores.jsonl"):
        Path(f"{name}.gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    return here


NAMES = ["csv", "csv.gz", "parquet", "jsonl", "jsonl.gz", "ndjson", "feather", "ipc", "arrow"]


@pytest.mark.parametrize("suffix", NAMES)
def test_every_format_gives_the_same_calibrator(formats, suffix, noisy_rows):
    """Fitted from the file as from the arrays."""
    assert call(f"fit scores.{suffix} --method platt --out c.json") == 0
    expected = lwcal.Platt().fit(*noisy_rows).predict([0.1, 0.5, 0.9])
    np.testing.assert_allclose(lwcal.load("c.json").predict([0.1, 0.5, 0.9]), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("source", "option"),
    [
        ("scores.csv", ""),
        ("scores.csv.gz", ""),
        ("scores.parquet", "--format parquet"),
        ("scores.jsonl", "--format jsonl"),
        ("scores.arrow", "--format arrow"),
        ("scores.feather", "--format arrow"),
    ],
)
def test_standard_input_is_read_in_any_format(formats, standard_input, source, option):
    """CSV unless another is named; compression is noticed."""
    standard_input(Path(source).read_bytes())
    assert call(f"fit - {option} --method platt --out c.json") == 0
    assert lwcal.load("c.json").n_ == 800


def test_empty_standard_input_is_named(here, standard_input, capsys):
    """Not a file called -."""
    standard_input(b"")
    assert call("diagnose -") == 2
    assert capsys.readouterr().err == "Error: standard input cannot be read: Empty CSV file.\n"
    standard_input(b"score,label\n")
    assert call("diagnose -") == 2
    assert "at least one row in standard input" in capsys.readouterr().err


def test_several_files_are_one(here, noisy_rows):
    """In the order of their names; columns may be ordered differently, whole numbers may mix."""
    frame = pd.read_csv("scores.csv")
    Path("parts").mkdir()
    frame[:300].to_csv("parts/a.csv", index=False)
    frame[frame.columns[::-1]][300:].to_csv("parts/b.csv", index=False)
    Path("parts/c.csv").write_text("id,score,label,w,name\n900,1,1,,bad\n")
    table = read_table("parts/*.csv")
    assert table.column_names == list(frame.columns)
    assert table.column("id").to_pylist() == [*range(800), 900]
    assert table.column("score").to_pylist()[-1] == 1.0


def test_a_format_can_be_forced(here):
    """For names that do not tell."""
    Path("scores.txt").write_bytes(Path("scores.csv").read_bytes())
    assert call("fit scores.txt --format csv --method platt --out c.json") == 0


def test_a_column_without_values_agrees_with_any(here):
    """In the first file or in a later one."""
    Path("a.csv").write_text("s,x\n0.1,\n")
    Path("b.csv").write_text("s,x\n0.2,word\n")
    assert read_table("[ab].csv").column("x").to_pylist() == [None, "word"]


@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.floats(0, 1), st.text("aé,\"'\n 0", max_size=5)),
        min_size=1,
        max_size=9,
    ),
    st.sampled_from(["parquet", "jsonl", "arrow", "jsonl.gz"]),
)
def test_what_is_written_reads_back(rows, form):
    """Whole numbers, numbers and any text."""
    whole, numbers, words = zip(*rows, strict=True)
    table = pa.table({"whole": whole, "numbers": numbers, "words": words})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows.{form}"
        write_table(table, path, overwrite=False)
        assert read_table(str(path)).to_pydict() == table.to_pydict()


def test_json_has_no_word_for_nan(tmp_path):
    """It is written as null, and the file stays strict."""
    path = tmp_path / "rows.jsonl"
    write_table(pa.table({"x": [0.5, float("nan"), float("inf")]}), path, overwrite=False)
    assert path.read_bytes() == b'{"x":0.5}\n{"x":null}\n{"x":null}\n'


def test_the_same_rows_compress_to_the_same_bytes(tmp_path):
    """No time stamp inside."""
    paths = [tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"]
    for path in paths:
        write_table(pa.table({"x": [0.5], "y": [1]}), path, overwrite=False)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert gzip.decompress(paths[0].read_bytes()) == b"x,y\n0.5,1\n"
