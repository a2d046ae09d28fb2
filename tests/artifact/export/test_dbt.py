"""The macro for dbt: filled by jinja2 as dbt does it, and run in DuckDB."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import yaml
from jinja2 import Environment, nodes
from jinja2.ext import Extension

import lwcal
from lwcal.errors import OutputError, ParameterError

rng = np.random.default_rng(0)
SCORES = np.concatenate([rng.beta(0.6, 0.6, 800), [0.0, 1.0]])
LABELS = (rng.random(802) < 0.1 + 0.8 * SCORES).astype(int)
EDGES = [*np.linspace(0, 1, 101).tolist(), -0.1, 1.1, float("nan"), None]


class TestTag(Extension):
    """The tag ``test`` of dbt: a macro whose name begins with ``test_``."""

    __test__ = False  # pytest would collect it
    tags = frozenset({"test"})

    def parse(self, parser):
        """Read a macro up to ``endtest``."""
        node = nodes.Macro(lineno=next(parser.stream).lineno)
        node.name = f"test_{parser.parse_assign_target(name_only=True).name}"
        parser.parse_signature(node)
        node.body = parser.parse_statements(("name:endtest",), drop_needle=True)
        return node


def filled(macro, call):
    """What dbt sends to the database."""
    return Environment(extensions=[TestTag]).from_string(macro + call).render()


def rows_of(database, sql):
    """Rows that a query returns."""
    return database.execute(sql).fetchall()


@pytest.fixture
def database():
    """A database with a table of scores, some of which are no scores."""
    with duckdb.connect() as connection:
        connection.register("source", pa.table({"s": pa.array(EDGES, pa.float64())}))
        connection.execute("create table scored as select s from source")
        yield connection


@pytest.mark.parametrize("name", ["auto", "beta", "platt", "isotonic", "gated", "identity"])
def test_the_macro_gives_the_values_of_predict(database, name):
    """With a column and with an expression; what is no score gives NULL."""
    calibrator = lwcal.calibrators.CALIBRATORS[name]().fit(SCORES, LABELS)
    macro = lwcal.export(calibrator, "dbt")
    found = rows_of(
        database, filled(macro, "select {{ calibrate('s') }}, {{ calibrate('s / 2') }} from scored")
    )
    whole, half = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    valid = np.array(EDGES[:101])
    np.testing.assert_allclose(whole[:101], calibrator.predict(valid), rtol=0, atol=1e-12)
    np.testing.assert_allclose(half[:101], calibrator.predict(valid / 2), rtol=0, atol=1e-12)
    assert np.isnan(whole[101:]).all()


def test_the_test_passes_on_its_own_column_and_fails_on_others(database):
    """It returns the rows that are wrong, and also looks at NULL."""
    macro = lwcal.export(lwcal.Beta().fit(SCORES, LABELS), "dbt")
    column = filled(macro, "create table good as select s, {{ calibrate('s') }} as p from scored")
    database.execute(column)
    check = "{{ test_calibrate_agrees('good', 'p', score='s') }}"
    assert rows_of(database, filled(macro, check)) == []
    database.execute("update good set p = p + 0.001 where s = 0.5")
    database.execute("update good set p = null where s = 0.25")
    database.execute("update good set p = 0.5 where s > 1 and not isnan(s)")
    assert len(rows_of(database, filled(macro, check))) == 3


def test_the_test_notices_another_arithmetic(database):
    """Known scores are compared, whatever the column says."""
    macro = lwcal.export(lwcal.Platt().fit(SCORES, LABELS), "dbt")
    broken = macro.replace("EXP(-", "EXP(-1.01 * ")
    assert broken != macro
    database.execute(
        filled(broken, "create table bad as select s, {{ calibrate('s') }} as p from scored")
    )
    found = rows_of(database, filled(broken, "{{ test_calibrate_agrees('bad', 'p', score='s') }}"))
    assert len(found) == 9


def test_percents_are_known_as_percents(database):
    """The known scores are on the scale of the fit."""
    calibrator = lwcal.Isotonic().fit(100 * SCORES, LABELS, scale="percent")
    macro = lwcal.export(calibrator, "dbt")
    database.execute("update scored set s = 100 * s")
    database.execute(
        filled(macro, "create table good as select s, {{ calibrate('s') }} as p from scored")
    )
    check = "{{ test_calibrate_agrees('good', 'p', score='s') }}"
    assert rows_of(database, filled(macro, check)) == []


def test_two_files_are_named_like_the_macro(tmp_path):
    """The second describes macro and test, as dbt reads it."""
    calibrator = lwcal.Auto().fit(SCORES, LABELS)
    text = lwcal.export(calibrator, "dbt", dialect="snowflake", out=tmp_path / "p_fraud.sql")
    assert (tmp_path / "p_fraud.sql").read_text() == text
    assert "{% macro p_fraud(score) %}" in text
    properties = yaml.safe_load((tmp_path / "p_fraud.yml").read_text())
    names = [macro["name"] for macro in properties["macros"]]
    assert names == ["p_fraud", "test_p_fraud_agrees"]
    assert "Fitted to 802 labels." in properties["macros"][0]["description"]


def test_nothing_is_written_if_one_file_is_there(tmp_path):
    """Neither file is replaced without being asked."""
    calibrator = lwcal.Beta().fit(SCORES, LABELS)
    (tmp_path / "calibrate.yml").write_text("mine")
    with pytest.raises(OutputError, match=r"calibrate\.yml"):
        lwcal.export(calibrator, "dbt", out=tmp_path / "calibrate.sql")
    assert not (tmp_path / "calibrate.sql").exists()
    lwcal.export(calibrator, "dbt", out=tmp_path / "calibrate.sql", overwrite=True)
    assert (tmp_path / "calibrate.yml").read_text() != "mine"


@pytest.mark.parametrize(
    ("calibrator", "options", "expected"),
    [
        (lwcal.Beta().fit(SCORES, LABELS), {"out": "calibrate.txt"}, r"ends with \.sql"),
        (lwcal.Beta().fit(SCORES, LABELS), {"out": "p-fraud.sql"}, "'p-fraud'.*letters, digits"),
        (lwcal.Beta().fit(SCORES, LABELS), {"column": "s"}, "dialect, max_error with 'dbt'"),
        (lwcal.Beta().fit(SCORES, LABELS), {"dialect": "oracle"}, "oracle"),
        (lwcal.Beta().fit(SCORES, LABELS, scale="logit"), {}, "logits cannot be written as SQL"),
        (
            lwcal.Temperature().fit(np.eye(3)[[0, 1, 2, 0]] * 0.8 + 0.2 / 3, ["a", "b", "c", "a"]),
            {},
            "one score.*'a', 'b', 'c'.*export it to sql",
        ),
    ],
)
def test_what_cannot_be_a_macro_is_refused(tmp_path, monkeypatch, calibrator, options, expected):
    """With what to do instead, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match=expected):
        lwcal.export(calibrator, "dbt", **options)
    assert not list(tmp_path.iterdir())


def test_braces_in_a_description_do_no_harm(database):
    """A comment of jinja2 ends where the macro begins, not before."""
    labels = np.where(LABELS, "{% x %} #}", "no")
    calibrator = lwcal.Platt(pos_label="{% x %} #}").fit(SCORES, labels)
    macro = lwcal.export(calibrator, "dbt")
    assert len(rows_of(database, filled(macro, "select {{ calibrate('s') }} from scored"))) == 105
