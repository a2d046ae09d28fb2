"""``apply``: one column more, everything else as it was, complete or not there."""

import csv
import io
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

import lwcal
from lwcal.engines.duckdb import apply
from lwcal.engines.duckdb.mapping import as_numbers_or_text
from lwcal.errors import DroppedRowsWarning, InputError, OutputError, ParameterError
from lwcal.rows.values import as_score_numbers

READERS = {
    "o.parquet": pd.read_parquet,
    "o.csv": pd.read_csv,
    "o.csv.gz": pd.read_csv,
    "o.jsonl": lambda path: pd.read_json(path, lines=True, precise_float=True),
    "o.arrow": feather.read_feather,
}
SOURCES = ["rows.csv", "rows.csv.gz", "rows.parquet", "rows.arrow", "rows.duckdb", "parts"]


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_source_reaches_every_target(here, source, target, frame, calibrator):
    """All columns with their values, in the order of the rows."""
    assert apply(source, calibrator, score="score", out=target) == 800
    found = READERS[target](target)
    if "csv" in source:  # text stays text
        found = found.astype(frame.dtypes.to_dict())
    pd.testing.assert_frame_equal(found[frame.columns], frame, check_dtype=False, rtol=1e-14)
    expected = calibrator.predict(frame["score"])
    np.testing.assert_allclose(found["p_calibrated"], expected, rtol=1e-14, atol=1e-300)


def test_a_map_will_do_and_frames_too(here, frame, calibrator):
    """The same bits as predict, from whatever holds the rows."""
    sources = [
        frame,
        pl.from_pandas(frame),
        pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas(frame, preserve_index=False).to_reader(max_chunksize=100),
        duckdb.connect().from_parquet("rows.parquet"),
    ]
    for source in sources:
        apply(source, calibrator.map_, score="score", out="o.parquet", overwrite=True)
        found = pd.read_parquet("o.parquet")
        np.testing.assert_array_equal(found["p_calibrated"], calibrator.predict(frame["score"]))
        assert found["id"].tolist() == frame["id"].tolist()


def test_columns_in_the_names_of_folders_are_kept(here, frame, calibrator):
    """And rows stay in the order of the files."""
    apply("hive", calibrator, score="score", out="o.parquet")
    found = pd.read_parquet("o.parquet")
    expected = frame.sort_values(["country", "id"], kind="stable")
    assert found["id"].tolist() == expected["id"].tolist()
    assert found["country"].tolist() == expected["country"].tolist()


def test_many_rows_stay_in_order(tmp_path, calibrator):
    """Also when several threads write them."""
    sql = "SELECT i, (hash(i) % 1000003) / 1000003 AS s FROM range(700000) t(i)"
    duckdb.connect().execute(f"COPY ({sql}) TO '{tmp_path}/a.parquet' (ROW_GROUP_SIZE 30000)")
    for threads in (1, 4):
        out = tmp_path / f"{threads}.parquet"
        apply(tmp_path / "a.parquet", calibrator, "s", out, threads=threads)
        found = duckdb.sql(f"FROM '{out}'").fetchnumpy()
        np.testing.assert_array_equal(found["i"], np.arange(700_000))
        np.testing.assert_array_equal(found["p_calibrated"], calibrator.predict(found["s"]))


cells = st.text("aZ0é,\"\n; \t#'", max_size=6)


@settings(max_examples=30)  # each starts an engine and writes two files
@given(
    st.lists(st.tuples(cells, st.integers(0, 1000), cells), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
)
def test_from_csv_to_csv_every_cell_is_given_back(rows, ending):
    """Whatever is in it: quotes, line breaks, leading zeros, blanks."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "a.csv"), Path(folder, "b.csv")
        with source.open("w", newline="", encoding="utf-8") as handle:
            writer = csv.writer(handle, lineterminator=ending)
            writer.writerow(["first", "s", "last"])
            writer.writerows((a, f"0.{k:03}", b) for a, k, b in rows)
        assert apply(source, lwcal.maps.IdentityMap(), "s", target) == len(rows)
        written = target.read_bytes().decode()
        before = list(csv.reader(io.StringIO(source.read_bytes().decode(), newline="")))
        after = list(csv.reader(io.StringIO(written, newline="")))
    assert [line[:3] for line in after] == before
    assert [float(line[3]) for line in after[1:]] == [float(line[1]) for line in before[1:]]


BAD = {"NaN": np.nan, "null": None, "above": 1.5, "below": -1e-9, "infinite": np.inf}


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_bad_scores_are_refused_or_dropped(tmp_path, calibrator, value, form):
    """Nothing is written then; or the other rows are."""
    frame = pd.DataFrame({"s": [0.2, value, 0.9], "id": ["a", "b", "c"]})
    source = tmp_path / f"a.{form}"
    if form == "parquet":
        frame.to_parquet(source)
    elif form == "csv":
        frame.to_csv(source, index=False)
    else:
        frame.to_json(source, orient="records", lines=True)
    out = tmp_path / "o.parquet"
    with pytest.raises(InputError, match=r"1 of 3 values .* the first in row 1"):
        apply(source, calibrator, "s", out)
    assert list(tmp_path.iterdir()) == [source]
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 3 rows"):
        assert apply(source, calibrator, "s", out, drop_invalid=True) == 2
    assert pd.read_parquet(out)["id"].tolist() == ["a", "c"]


def test_what_cannot_be_written_is_told_before_any_work(here, calibrator):
    """Names of columns and of files; nothing is replaced unasked."""
    with pytest.raises(ParameterError, match="already has a column 'label'"):
        apply("rows.parquet", calibrator, "score", "o.parquet", column="LABEL")
    apply("rows.parquet", calibrator, "score", "o.parquet", column="label", replace_column=True)
    found = pd.read_parquet("o.parquet")
    assert list(found.columns) == ["id", "score", "label", "w", "country"]
    np.testing.assert_array_equal(found["label"], calibrator.predict(found["score"]))
    with pytest.raises(OutputError, match="overwrite=True"):
        apply("rows.parquet", calibrator, "score", "o.parquet")
    with pytest.raises(InputError, match="a file ending in"):
        apply("rows.parquet", calibrator, "score", "o.xlsx")
    with pytest.raises(InputError, match="a column 'p'"):
        apply("rows.parquet", calibrator, "p", "p.parquet")
    with pytest.raises(InputError, match="has no rows"):
        apply(pa.table({"s": pa.array([], pa.float64())}), calibrator, "s", "p.parquet")
    assert not Path("p.parquet").exists()


def test_the_source_may_be_the_target(here, calibrator):
    """It is replaced when everything is written."""
    apply("rows.parquet", calibrator, "score", "rows.parquet", overwrite=True)
    assert "p_calibrated" in pd.read_parquet("rows.parquet")


def test_no_function_is_left_in_the_users_connection(here, calibrator):
    """Also after a failure; the same name can be used again."""
    connection = duckdb.connect()
    for _ in range(2):
        with pytest.raises(InputError, match="outside"):
            apply("rows.parquet", calibrator, "id", "o.parquet", connection=connection)
        apply("rows.parquet", calibrator, "score", "o.arrow", connection=connection, overwrite=True)
    left = "SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE 'lwcal%'"
    assert connection.sql(left).fetchall() == [(0,)]


def test_probabilities_are_not_taken_for_percents(tmp_path, noisy_rows):
    """All of them would become nearly 0. Percents below 1 are fine if they were so at the fit."""
    scores, labels = noisy_rows
    calibrator = lwcal.Platt().fit(100.0 * scores, labels, scale="percent")
    pd.DataFrame({"p": scores}).to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(InputError, match=r"at most 1.*--score-scale probability or percent"):
        apply(tmp_path / "p.csv", calibrator, "p", tmp_path / "o.csv")
    assert not (tmp_path / "o.csv").exists()
    for scale, highest in (("probability", 1.0), ("percent", 0.01)):  # whoever names it is believed
        apply(tmp_path / "p.csv", calibrator, "p", tmp_path / "o.csv", scale=scale, overwrite=True)
        found = pd.read_csv(tmp_path / "o.csv")["p_calibrated"]
        expected = calibrator.map_(scores * highest)
        np.testing.assert_allclose(found, expected)
    signed = pd.DataFrame({"p": [f"{score:.4f}%" for score in scores]})
    signed.to_csv(tmp_path / "signed.csv", index=False)
    assert apply(tmp_path / "signed.csv", calibrator, "p", tmp_path / "o.csv", overwrite=True)
    rare = lwcal.Platt().fit(scores, labels, scale="percent")
    assert apply(tmp_path / "p.csv", rare, "p", tmp_path / "o.csv", overwrite=True) == 800


TEXTS = st.sampled_from(["0.5", "1e-3", "+0.5", " 0.5", "0,061", "6.1%", "1_0", "nan", "", "NA"])


@given(
    values=st.lists(st.floats().map(repr) | TEXTS | st.text(max_size=4) | st.none(), max_size=5),
    kind=st.sampled_from([pa.string(), pa.large_string(), pa.string_view(), pa.binary()]),
)
def test_text_is_read_as_the_checks_read_it(values, kind):
    """Casting it before them changes nothing."""
    cells = [v if v is None or kind != pa.binary() else v.encode() for v in values]
    column = pa.array(cells, kind)
    for found, expected in zip(
        as_score_numbers(as_numbers_or_text(column)), as_score_numbers(column), strict=True
    ):
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


def test_a_mapping_of_columns_is_a_frame(tmp_path, calibrator):
    """As in memory; columns that do not fit together are refused."""
    columns = {"p": np.array([0.25, 0.75]), "id": ["007", "008"]}
    assert apply(columns, calibrator, "p", tmp_path / "o.csv") == 2
    assert (tmp_path / "o.csv").read_text().splitlines()[1].startswith("0.25,007,")
    with pytest.raises(InputError, match="do not make a table"):
        apply({"p": [0.5], "id": [1, 2]}, calibrator, "p", tmp_path / "none.csv")
