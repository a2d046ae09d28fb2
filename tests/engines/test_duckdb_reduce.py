"""``reduce``: the same table from wherever the rows lie, and from any number of threads."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lwcal
from lwcal import ScoreTable
from lwcal.engines.duckdb import apply, reduce, reduce_groups
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError

SOURCES = [
    "rows.csv",
    "rows.csv.gz",
    "rows.parquet",
    "rows.arrow",
    "rows.duckdb",
    "parts",
    "parts/**/*.parquet",
    "hive",
    "file://{here}/rows.parquet",
    "file://{here}/rows.csv",
    "file://{here}/hive/*/*.parquet",
]


def same(a, b):
    """Whether two tables hold the same bits."""
    names = ("scores", "negatives", "positives")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_table(here, source, frame):
    """That of the arrays."""
    found = reduce(source.format(here=here), score="score", label="label")
    assert same(found, ScoreTable.from_arrays(frame["score"], frame["label"]))
    assert found.limit == 2**20


def test_json_gives_what_it_holds(here):
    """Numbers as they were written, with fewer digits."""
    frame = pd.read_json("rows.jsonl", lines=True, precise_float=True)
    found = reduce("rows.jsonl", score="score", label="label")
    assert same(found, ScoreTable.from_arrays(frame["score"], frame["label"]))


def test_paths_and_frames_are_sources_too(here, frame):
    """A path, and whatever holds rows in memory."""
    expected = ScoreTable.from_arrays(frame["score"], frame["label"])
    relation = duckdb.connect().from_parquet("rows.parquet")
    table = pa.Table.from_pandas(frame)
    for source in (Path("rows.csv"), frame, pl.from_pandas(frame), table, relation):
        assert same(reduce(source, score="score", label="label"), expected)


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet", "parts"])
@pytest.mark.parametrize("limit", [0, 100, 2**20])
def test_threads_do_not_matter(here, source, limit, frame):
    """Not even with fractional weights, exact or on the grid."""
    tables = [
        reduce(source, "score", "label", "w", threads=threads, limit=limit) for threads in (1, 2, 4)
    ]
    assert same(tables[0], tables[1])
    assert same(tables[0], tables[2])
    assert tables[0].n == pytest.approx(frame["w"].sum())


def test_many_rows_give_the_same_bits_from_any_number_of_threads(tmp_path):
    """Enough of them that threads share the work, and more distinct scores than the limit."""
    sql = (
        "SELECT (hash(i) % 9007199254740881) / 9007199254740881 AS s, hash(i + 7) % 3 = 0 AS y "
        "FROM range(1500000) t(i)"
    )
    duckdb.connect().execute(f"COPY ({sql}) TO '{tmp_path}/a.parquet' (ROW_GROUP_SIZE 50000)")
    one, two = (reduce(f"{tmp_path}/a.parquet", "s", "y", threads=t) for t in (1, 2))
    assert one.grid == 2.0**-20
    assert one.n == 1_500_000
    assert same(one, two)
    shards = [
        ScoreTable.from_frame(duckdb.sql(f"FROM ({sql}) WHERE s {where}"), "s", "y")
        for where in ("< 0.3", ">= 0.3")
    ]
    assert all(shard.grid is None for shard in shards[:1])
    assert same(ScoreTable.merge(shards[::-1]), one)


def test_a_column_of_a_partitioned_folder_can_be_the_label(here, frame):
    """It is in the names of the folders only."""
    found = reduce("hive", score="score", label="country", pos_label="NL")
    assert found.n_positive == (frame["country"] == "NL").sum()


def test_tables_of_a_database(here):
    """The only one, or the one that is named, also in a schema or as a view."""
    with duckdb.connect("rows.duckdb") as database:
        database.execute("CREATE SCHEMA other; CREATE TABLE other.t AS FROM rows LIMIT 50")
        database.execute("CREATE VIEW few AS FROM rows LIMIT 20")
    for table, n in (("rows", 800), ("other.t", 50), ("few", 20)):
        assert reduce("rows.duckdb", "score", "label", table=table).n == n
    with pytest.raises(InputError, match=r"one table in rows\.duckdb, got few, other\.t, rows"):
        reduce("rows.duckdb", "score", "label")
    with pytest.raises(InputError, match="a table 'no'"):
        reduce("rows.duckdb", "score", "label", table="no")
    with pytest.raises(ParameterError, match="a database with --table"):
        reduce("rows.csv", "score", "label", table="rows")


def test_what_the_user_has_set_up_is_used(here):
    """Such as a table of theirs; their connection stays open and as it was."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    assert reduce("rows.parquet", "score", "label", connection=connection).n == 800
    assert connection.sql("SELECT current_setting('threads')").fetchall() == [(1,)]


def test_a_connection_of_the_user_is_left_without_our_databases(here):
    """Also if two of them are read at once, or reading fails."""
    connection = duckdb.connect()
    before = connection.sql("SELECT database_name FROM duckdb_databases()").fetchall()
    for _ in range(2):
        assert reduce("rows.duckdb", "score", "label", connection=connection).n == 800
    with pytest.raises(InputError, match="a table 'no'"):
        reduce("rows.duckdb", "score", "label", connection=connection, table="no")
    assert connection.sql("SELECT database_name FROM duckdb_databases()").fetchall() == before


@pytest.mark.parametrize("name", ["form", "table", "connection", "threads"])
def test_options_that_would_be_ignored_are_refused(frame, here, calibrator, name):
    """A frame has no format, no tables and no engine; a connection has its own threads."""
    option = {name: "csv" if name == "form" else 1}
    with pytest.raises(ParameterError, match=f"{name}=, got a frame"):
        reduce(frame, "score", "label", **option)
    with pytest.raises(ParameterError, match=f"{name}=, got a frame"):
        reduce_groups(frame, "label", "score", "label", **option)
    with pytest.raises(ParameterError, match="got both"):
        reduce("rows.csv", "score", "label", connection=duckdb.connect(), threads=1)
    if name in ("form", "table"):
        with pytest.raises(ParameterError, match=f"{name}=, got a frame"):
            apply(frame, calibrator, "score", here / "out.csv", **option)


TEXT = {
    "numbers": ("0.1,0\n0.9,1\n0.8,1.0\n", (1, 2)),
    "words": ("0.1,No\n0.9,Yes\n", (1, 1)),
    "truth": ("0.1,false\n0.9,true\n", (1, 1)),
    "signs": ("0.1,-1\n0.9,1\n0.9,+1\n", (1, 2)),
}


@pytest.mark.parametrize(("text", "counts"), TEXT.values(), ids=TEXT)
def test_labels_of_text_files_are_understood(tmp_path, text, counts):
    """As numbers, where all are; as words otherwise."""
    path = tmp_path / "a.csv"
    path.write_text("s,y\n" + text)
    table = reduce(path, "s", "y")
    assert (table.n_negative, table.n_positive) == counts
    if counts == (1, 2):
        assert reduce(path, "s", "y", pos_label="1").n_positive == 2
        assert reduce(path, "s", "y", pos_label=1).n_positive == 2


def test_bad_rows_of_a_text_file_are_told_by_their_row(tmp_path):
    """A word for nothing is nothing, and another word is none."""
    path = tmp_path / "a.csv"
    path.write_text("s,y\n0.5,1\nNA,0\nhigh,1\n1.5,0\n0.4,NA\n0.3,0\n0.2,0\n0.1,1\n")
    with pytest.raises(InputError, match=r"1 of 8 .* row 2 \('high'\).* row 1 .*\(1\.5\)"):
        reduce(path, "s", "y")
    with pytest.warns(DroppedRowsWarning, match=r"dropped 4 of 8 .*'y': 1 is missing.* row 4"):
        table = reduce(path, "s", "y", drop_invalid=True)
    assert (table.n_negative, table.n_positive) == (2, 2)


def test_an_object_store_that_is_not_set_up_is_one_line():
    """DuckDB says what it would need; nothing is asked of the network."""
    with pytest.raises(InputError, match=r"s3://bucket/a\.parquet cannot be read") as raised:
        reduce("s3://bucket/a.parquet", "s", "y")
    assert "\n" not in str(raised.value)


def test_files_that_differ_are_refused(tmp_path):
    """Whole and other numbers may mix, other types may not; also in Arrow files."""
    whole, other = {"s": [0, 1], "y": [0, 1]}, {"s": [0.5], "y": [1]}
    for form in ("parquet", "feather"):
        for name, data in (("a", whole), ("b", other)):
            getattr(pd.DataFrame(data), f"to_{form}")(tmp_path / f"{name}.{form}")
    assert reduce(f"{tmp_path}/*.parquet", "s", "y").n == 3
    with pytest.raises(InputError, match=r"'s' of .*b\.feather to be int64 as in .*got double"):
        reduce(f"{tmp_path}/*.feather", "s", "y")
    with pytest.raises(InputError, match=r"a column 'p' in .*, got the columns s .DOUBLE., y"):
        reduce(f"{tmp_path}/*.parquet", "p", "y")


def test_the_fit_of_an_engine_is_the_fit_of_the_arrays(here, noisy_rows):
    """Bit for bit, below the limit."""
    fitted = lwcal.Auto().fit_table(reduce("rows.parquet", "score", "label"))
    expected = lwcal.Auto().fit(*noisy_rows)
    grid = np.linspace(0, 1, 101)
    np.testing.assert_array_equal(fitted.predict(grid), expected.predict(grid))
    assert fitted.grid_ is None


def test_a_missing_extra_is_one_line_with_the_command():
    """In a fresh interpreter that has no DuckDB."""
    import subprocess
    import sys

    code = "import sys; sys.modules['duckdb'] = None; import lwcal; lwcal.engines.duckdb"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = finished.stderr.strip().splitlines()[-1]
    assert last.endswith(
        'lwcal.engines.duckdb needs duckdb, which is not installed: pip install "lwcal[cli]"'
    )


def test_the_engines_are_listed():
    """And nothing else is there."""
    assert dir(lwcal.engines) == ["duckdb", "spark"]
    with pytest.raises(AttributeError, match="no attribute 'oracle'"):
        _ = lwcal.engines.oracle
