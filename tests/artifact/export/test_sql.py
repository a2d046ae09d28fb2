"""SQL exports: every dialect can parse them, with any column names."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import expressions

import lwcal
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.maps import BetaMap, IdentityMap, PiecewiseLinearMap, SigmoidMap
from tests.artifact.export.targets import carrying
from tests.test_maps import maps

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


def parsed(text, dialect):
    """Parse the expression of an export with sqlglot."""
    return sqlglot.parse_one(text, read=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(fitted=maps)
@settings(max_examples=10)
def test_every_dialect_can_be_parsed(dialect, fitted):
    """It is one CASE expression, with doubles only and one column."""
    tree = parsed(lwcal.export(carrying(fitted), "sql", dialect=dialect, column="p"), dialect)
    assert isinstance(tree, expressions.Case)
    assert tree.args.get("default") is None
    assert {column.name for column in tree.find_all(expressions.Column)} == {"p"}
    for literal in tree.find_all(expressions.Literal):
        assert "e" in literal.this.lower()


@pytest.mark.parametrize("dialect", DIALECTS)
@given(name=names)
@settings(max_examples=20)
def test_any_name_is_one_column(dialect, name):
    """Quotes, brackets, semicolons and comments inside a name stay inside."""
    assume(dialect != "bigquery" or "." not in name)  # no column can have a point in its name
    text = lwcal.export(carrying(IdentityMap()), "sql", dialect=dialect, column=name)
    (statement,) = sqlglot.parse(text, read=dialect)
    assert {column.name for column in statement.find_all(expressions.Column)} == {name}


@pytest.mark.parametrize("scores", [[0.1, np.nan, 0.9], [0.5, np.nan, 0.5], [np.nan] * 2])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
@given(fitted=maps)
@settings(max_examples=5)
def test_nan_in_a_parquet_file_gives_null(tmp_path_factory, kind, scores, fitted):
    """Statistics of the file skip NaN, and DuckDB replaces comparisons by what they imply."""
    path = tmp_path_factory.mktemp("nan") / "rows.parquet"
    pq.write_table(pa.table({"p": pa.array(scores, kind)}), path)
    expression = lwcal.export(carrying(fitted), "sql", column="p")
    found = duckdb.sql(f"SELECT ({expression}) IS NULL FROM '{path}'").fetchall()
    assert [is_null for (is_null,) in found] == np.isnan(scores).tolist()


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("duckdb", '"a""]`b"'),
        ("postgres", '"a""]`b"'),
        ("sqlite", '"a""]`b"'),
        ("spark", '`a"]``b`'),
        ("bigquery", '`a"]\\`b`'),
        ("snowflake", '"a""]`b"'),
        ("tsql", '[a"]]`b]'),
    ],
)
def test_names_are_quoted_as_the_engine_wants(dialect, expected):
    """With its own quotation marks, doubled or escaped inside."""
    assert DIALECTS[dialect].quote('a"]`b') == expected


@given(name=names)
@settings(max_examples=20)
def test_duckdb_finds_columns_of_any_name(name):
    """In the real engine."""
    quoted = DIALECTS["duckdb"].quote(name)
    text = lwcal.export(carrying(IdentityMap()), "sql", column=name)
    with duckdb.connect() as connection:
        table = f"(SELECT 0.25 AS {quoted})"
        assert connection.execute(f"SELECT {text} FROM {table}").fetchall() == [(0.25,)]


@pytest.mark.parametrize("kind", ["FLOAT", "DECIMAL(9, 3)", "INTEGER"])
def test_columns_of_other_numbers_work(kind):
    """Arithmetic uses doubles for any type of column."""
    fitted = PiecewiseLinearMap(np.array([0.1, 0.7]), np.array([0.2, 0.9]))
    text = lwcal.export(carrying(fitted), "sql")
    query = f"SELECT {text} AS p FROM (SELECT CAST(1 AS {kind}) AS score)"
    with duckdb.connect() as connection:
        result = connection.execute(query)
        assert result.description[0][1] == "DOUBLE"
        assert result.fetchall() == [(0.9,)]


def depth(tree):
    """Return the depth of nested CASE."""
    own = isinstance(tree, expressions.Case)
    return own + max((depth(child) for child in tree.iter_expressions()), default=0)


@pytest.mark.parametrize(("dialect", "deepest"), [("duckdb", 12), ("tsql", 6)])
def test_nesting_is_balanced(dialect, deepest):
    """A thousand knots need a dozen comparisons; T-SQL allows ten levels."""
    x = np.linspace(0, 1, 1000)
    text = lwcal.export(carrying(PiecewiseLinearMap(x, x**2)), "sql", dialect=dialect)
    assert depth(parsed(text, dialect)) <= deepest


def test_the_comment_describes_the_map(noisy_rows):
    """Its origin, the dropped knots, and advice for the engine."""
    fitted = lwcal.GatedLWCal(pos_label=1).fit(*noisy_rows)
    text = lwcal.export(fitted, "sql", dialect="postgres", max_error=0.01)
    comment = "\n".join(line for line in text.splitlines() if line.startswith("-- "))
    for words in (f"lwcal {lwcal.__version__}", "GatedLWCal(pos_label=1)", "800 labels", "rho = "):
        assert words in comment
    assert "error: 0.01 (allowed: 0.01)" in comment
    assert "jit = off" in comment
    beta = lwcal.export(carrying(BetaMap(1, 1, 0)), "sql", dialect="sqlite")
    assert "math functions" in beta
    assert "math functions" not in lwcal.export(carrying(IdentityMap()), "sql", dialect="sqlite")


def test_no_parameter_can_leave_the_comment():
    """Even if the name of the positive class is a line of SQL."""
    fitted = lwcal.Identity(pos_label="x\n; DROP TABLE scores").fit_table(
        lwcal.ScoreTable.from_arrays([0.2, 0.8], [0, 1])
    )
    text = lwcal.export(fitted, "sql")
    assert [line[:3] for line in text.splitlines()[:-1]] == ["-- "] * (len(text.splitlines()) - 1)


def test_no_product_underflows_in_postgres(postgres_connection):
    """Even for the smallest scores and slopes."""
    for fitted in (
        SigmoidMap(1e-300, 0.0),
        SigmoidMap(1e3, -1e3),
        PiecewiseLinearMap(np.array([0.0, 1.0]), np.array([0.0, 1e-310])),
        PiecewiseLinearMap(np.array([0.0, 5e-324, 1.0]), np.array([0.0, 1e-300, 0.5])),
    ):
        text = lwcal.export(carrying(fitted), "sql", dialect="postgres")
        for score in (0.0, 5e-324, 1e-310, 1e-200, 1e-17, 1.0):
            query = f"SELECT {text} FROM (SELECT {score!r}::float8 AS score) AS t"
            ((value,),) = postgres_connection.execute(query).fetchall()
            np.testing.assert_allclose(value, fitted(np.array([score]))[0], rtol=0, atol=1e-12)
