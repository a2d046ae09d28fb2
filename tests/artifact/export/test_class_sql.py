"""SQL of more than two classes: every dialect can parse the query, with any names."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from hypothesis import assume, given, settings
from sqlglot import expressions

import lwcal
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.class_maps import ClassIdentityMap, ScalingMap
from lwcal.errors import ParameterError
from tests.artifact.export.targets import carrying_classes, in_sqlite
from tests.artifact.export.test_class_parity import ODD_NAMES, scaling
from tests.artifact.export.test_sql import names

MATRIX = scaling(np.random.default_rng(0), 3, "matrix", 1e-6)


def inputs_of(tree):
    """Names of the columns that a query reads from its table."""
    first = tree.find(expressions.CTE).this
    return {column.name for column in first.find_all(expressions.Column)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fitted", [MATRIX, ClassIdentityMap(3)], ids=lambda fitted: fitted.kind)
def test_every_dialect_can_be_parsed(dialect, fitted):
    """One SELECT, which returns what was named and one column for each class."""
    text = lwcal.export(carrying_classes(fitted, "abc"), "sql", dialect=dialect, keep=["id"])
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, expressions.Select)
    returned = ["id", "calibrated_a", "calibrated_b", "calibrated_c"]
    assert [column.alias_or_name for column in tree.expressions] == returned
    assert inputs_of(tree) == {"id", "score_a", "score_b", "score_c"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_logarithm_is_computed_twice(dialect):
    """One for each class, and one power."""
    text = lwcal.export(carrying_classes(MATRIX, "abc"), "sql", dialect=dialect)
    assert text.count(f"{DIALECTS[dialect].ln}(") == 3
    assert text.count("EXP(") == 3


@pytest.mark.parametrize("dialect", DIALECTS)
@given(name=names, table=names)
@settings(max_examples=10)
def test_any_name_stays_inside(dialect, name, table):
    """Of a class, of a table and of a column to keep; points separate the parts of a table."""
    assume(not ({".", "{"} & set(name + table)))
    assume(name.casefold() not in "abc" and not name.casefold().startswith("lwcal_"))
    assume(not table.startswith("#"))  # the parser takes that for a temporary table of T-SQL
    fitted = carrying_classes(MATRIX, ["a", "b", name])
    text = lwcal.export(fitted, "sql", dialect=dialect, from_table=f"s.{table}", keep=[name])
    (tree,) = sqlglot.parse(text, read=dialect)
    assert inputs_of(tree) == {"score_a", "score_b", f"score_{name}", name}
    source = tree.find(expressions.CTE).find(expressions.Table)
    assert (source.db, source.name) == ("s", table)


def test_duckdb_finds_columns_of_odd_names():
    """By the default names, which hold the classes."""
    fitted = carrying_classes(ClassIdentityMap(len(ODD_NAMES)), ODD_NAMES)
    shares = np.arange(1.0, 11.0) / 55.0
    quote = DIALECTS["duckdb"].quote
    listed = zip(shares.tolist(), ODD_NAMES, strict=True)
    columns = ", ".join(f"{share!r}::DOUBLE AS {quote(f'score_{name}')}" for share, name in listed)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE scores AS SELECT {columns}")
        (row,) = connection.execute(lwcal.export(fitted, "sql")).fetchall()
    np.testing.assert_allclose(row, shares, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", ["FLOAT", "DECIMAL(9, 3)"])
def test_columns_of_other_numbers_work(kind):
    """Arithmetic uses doubles for any type of column."""
    columns = ", ".join(f"CAST({p} AS {kind}) AS score_{c}" for p, c in ((0.5, "a"), (0.25, "b")))
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE scores AS SELECT {columns}, 0.25::{kind} AS score_c")
        (row,) = connection.execute(lwcal.export(carrying_classes(MATRIX, "abc"), "sql")).fetchall()
    np.testing.assert_allclose(row, MATRIX([[0.5, 0.25, 0.25]])[0], rtol=0, atol=1e-12)


def test_the_query_can_be_a_view():
    """Comments and all."""
    text = lwcal.export(carrying_classes(MATRIX, "abc"), "sql", keep=["id"])
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE scores (id INT, score_a REAL, score_b REAL, score_c REAL)")
        connection.execute(f"CREATE VIEW calibrated AS {text}")
        connection.execute("INSERT INTO scores VALUES (1, 0.5, 0.25, 0.25), (2, 0.5, 0.5, 0.5)")
        values = connection.execute("SELECT calibrated_a FROM calibrated ORDER BY id").fetchall()
    assert [value is None for (value,) in values] == [False, True]


def test_nan_in_a_parquet_file_gives_null(tmp_path):
    """The statistics of the file, which DuckDB trusts, skip NaN."""
    columns = {"score_a": [0.5, np.nan, 0.4], "score_b": [0.25] * 3, "score_c": [0.25] * 3}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    text = lwcal.export(carrying_classes(MATRIX, "abc"), "sql")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW scores AS FROM '{tmp_path / 'rows.parquet'}'")
        found = connection.execute(f"SELECT calibrated_b IS NULL FROM ({text})").fetchall()
    assert found == [(False,), (True,), (True,)]  # the last row does not sum to 1


def test_the_comment_says_what_gives_null():
    """And that a key would help, and what SQLite needs."""
    text = lwcal.export(carrying_classes(MATRIX, "abc"), "sql", dialect="sqlite")
    comment = "\n".join(line for line in text.splitlines() if line.startswith("-- "))
    for words in ("Classes: 'a', 'b', 'c'.", "within 0.015 of 1", "--keep", "math functions"):
        assert words in comment
    raw = carrying_classes(ClassIdentityMap(3), "abc")
    text = lwcal.export(raw, "sql", dialect="sqlite", keep=["id"])
    assert "math functions" not in text
    assert "--keep" not in text


def test_no_class_can_leave_the_comment():
    """Even if its name is a line of SQL."""
    fitted = carrying_classes(ClassIdentityMap(3), ["a", "b", "x\n; DROP TABLE scores"])
    text = lwcal.export(fitted, "sql", column=["a", "b", "c"], dialect="bigquery")
    (tree,) = sqlglot.parse(text, read="bigquery")
    assert isinstance(tree, expressions.Select)


@pytest.mark.parametrize(
    ("dialect", "n_classes", "full"), [("bigquery", 300, True), ("spark", 300, False)]
)
def test_a_query_that_is_too_long_is_refused(dialect, n_classes, full):
    """With its size, and the targets that remain."""
    matrix = np.full((n_classes, n_classes), 0.5) if full else np.eye(n_classes)
    fitted = ScalingMap(matrix, np.zeros(n_classes), 0.01)
    with pytest.raises(ParameterError, match=rf"{dialect} query .*300 classes.*onnx or python"):
        lwcal.export(carrying_classes(fitted, range(n_classes)), "sql", dialect=dialect)


def test_sqlite_takes_hundreds_of_classes():
    """It limits the arguments of a function to 127."""
    fitted = carrying_classes(ScalingMap(2.0 * np.eye(300), np.zeros(300), 0.01), range(300))
    row = np.random.default_rng(0).dirichlet(np.ones(300), 1)
    values = in_sqlite(fitted, row.tolist(), [f"score_{k}" for k in range(300)])
    np.testing.assert_allclose(values, fitted.predict(row), rtol=0, atol=1e-12)


def test_postgres_cuts_names():
    """Two classes that differ after the 63rd byte would be one column."""
    fitted = carrying_classes(ClassIdentityMap(3), ["a", "é" * 40 + "1", "é" * 40 + "2"])
    with pytest.raises(ParameterError, match="names that postgres can tell apart"):
        lwcal.export(fitted, "sql", dialect="postgres")
    assert lwcal.export(fitted, "sql", dialect="duckdb")
