"""Rows from files of all formats, from several files, and from standard input."""

import gzip
import os
import re
import tempfile
from pathlib import Path
from threading import Thread

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

import lwcal
from lwcal.cli.output import write_table
from lwcal.cli.request import RowsRequest
from tests.cli.helpers import call, shell


def read_table(source, form=None):
    """All rows of a source, with types."""
    with RowsRequest(source, form=form).opened() as rows:
        return rows.typed(list(rows.columns)).read()


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
    assert "standard input has no rows" in capsys.readouterr().err


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


@pytest.mark.parametrize("mark", [";", "\t"])
def test_columns_may_be_separated_by_something_else(here, capsys, mark):
    """As spreadsheets write them where the comma is for decimals; with text as with numbers."""
    rows = Path("scores.csv").read_text().replace(",", mark)
    Path("s.csv").write_text(rows)
    assert call("fit s.csv --method platt --out c.json") == 0
    assert call("apply c.json s.csv --out o.csv") == 0
    before, after = pd.read_csv("scores.csv", dtype=str), pd.read_csv("o.csv", dtype=str)
    pd.testing.assert_frame_equal(after[before.columns], before)


def test_compression_is_noticed_whatever_the_name_says(here):
    """In a browser's downloads the ending is often lost."""
    Path("zipped.csv").write_bytes(gzip.compress(Path("scores.csv").read_bytes()))
    assert read_table("zipped.csv").equals(read_table("scores.csv"))


def test_a_named_pipe_is_read(here):
    """As in lwcal fit <(zcat scores.csv.gz) --format csv."""
    os.mkfifo("pipe")
    writer = Thread(target=lambda: Path("pipe").write_bytes(Path("scores.csv").read_bytes()))
    writer.start()
    assert read_table("pipe", "csv").equals(read_table("scores.csv"))
    writer.join()


def test_a_table_of_a_database_can_be_named_where_single_rows_are_read(here, capsys):
    """For the weights of labels too; a database of several tables asks for the name."""
    with duckdb.connect("two.duckdb") as database:
        database.execute("CREATE TABLE other AS SELECT 1 AS x")
        database.execute("CREATE TABLE new AS FROM 'scores.parquet'")
    line = "fit two.duckdb --method lwcal --out c.json --label-weights w.csv"
    assert call(line) == 2
    assert "--table" in capsys.readouterr().err
    assert call(f"{line} --table new") == 0
    assert len(pd.read_csv("w.csv")) == 800


def test_ids_stay_as_they_are_written(here, capsys):
    """In the report, where somebody looks them up; and where they are counted."""
    frame = pd.read_csv("scores.csv").assign(case=lambda rows: rows["id"].map("{:07d}".format))
    frame.to_csv("s.csv", index=False)
    call("fit s.csv --out c.json --method platt --id case")
    assert call("report c.json s.csv --id case") == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert re.search(r">\s*0000\d{3}\s*<", page)
    frame.assign(case="007").to_csv("t.csv", index=False)
    capsys.readouterr()
    assert call("monitor c.json t.csv --id case") == 2
    assert "repeated in 799 rows of column 'case', first '007'" in (capsys.readouterr().err)


def test_a_column_without_values_agrees_with_any(here):
    """In the first file or in a later one."""
    Path("a.csv").write_text("s,x\n0.1,\n")
    Path("b.csv").write_text("s,x\n0.2,word\n")
    assert read_table("[ab].csv").column("x").to_pylist() == [None, "word"]


def test_rows_of_many_files_stay_in_order(here):
    """Types are found by a query that must not join: a join returns rows in any order."""
    for number in range(40):
        Path(f"part{number:02}.csv").write_text(f"s,x\n0.{number:02},NA\n0.{number:02}5,{number}\n")
    with RowsRequest("part*.csv").opened() as rows:
        typed = rows.typed(["s", "x"])
        plan = "".join(row[1] for row in rows.cursor.execute(f"EXPLAIN {typed.sql}").fetchall())
        assert "READ_CSV" in plan.upper()
        assert "JOIN" not in plan.upper()
        scores = typed.read().column("s").to_pylist()
    assert scores == sorted(scores)
    assert len(scores) == 80


@settings(max_examples=30)  # each starts an engine and writes a file
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


def test_files_may_be_compressed_and_separated_each_in_its_own_way(here):
    """As they gather in a folder of downloads."""
    Path("a.csv").write_text("s,x\n0.1,1\n")
    Path("b.csv").write_bytes(gzip.compress(b"x;s\n2;0.2\n"))
    Path("c.csv.gz").write_bytes(gzip.compress(b"s\tx\n0.3\t3\n"))
    assert read_table("[abc].csv*").to_pydict() == {"s": [0.1, 0.2, 0.3], "x": [1, 2, 3]}
    Path("a.jsonl").write_text('{"s":0.1}\n')
    Path("b.jsonl").write_bytes(gzip.compress(b'{"s":0.2}\n'))
    assert read_table("[ab].jsonl").to_pydict() == {"s": [0.1, 0.2]}


def test_a_pipe_is_read_once_by_commands_that_need_its_text_too(here):
    """By audits, for example; errors name the pipe and not where its rows were kept."""
    code, _, shown = shell("lwcal audit plan <(cat scores.csv) --format csv --out p.csv --id id")
    assert (code, shown.count("column: ")) == (0, 2)
    assert len(Path("p.csv").read_text().splitlines()) == 51
    code, _, shown = shell("lwcal diagnose <(printf 'a,a\\n1,2\\n') --format csv")
    assert code == 2
    assert "different names of columns in /dev/fd/" in shown


def test_the_positive_class_of_pooled_rows_is_kept(here, capsys):
    """It was named once, for the fit."""
    assert call("fit scores.csv --label name --pos-label good --method platt --out c.json") == 0
    assert lwcal.load("c.json").pos_label == "good"
    assert call("monitor c.json scores.csv --label name") in (0, 1)


def test_a_column_without_a_name_is_called_by_its_place(here):
    """As pandas writes its index, and spreadsheets empty columns at the end."""
    pd.read_csv("scores.csv").assign(end="x").rename(columns={"end": " "}).to_csv("s.csv")
    assert call("fit s.csv --method platt --out c.json") == 0
    assert call("apply c.json s.csv --out o.csv") == 0
    written = pd.read_csv("o.csv")
    assert written.columns[[0, -2, -1]].tolist() == ["column0", "column6", "p_calibrated"]
    assert written["column0"].tolist() == list(range(800))
