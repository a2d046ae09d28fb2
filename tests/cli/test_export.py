"""``lwcal export`` on real files."""

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
import pytest

import lwcal
from lwcal.cli.app import run


@pytest.fixture
def here(tmp_path, monkeypatch, noisy_rows):
    """A working folder with a calibrator."""
    monkeypatch.chdir(tmp_path)
    lwcal.save(lwcal.GatedLWCal().fit(*noisy_rows), "c.json")
    return tmp_path


def call(line):
    """Run one command line as the shell would."""
    return run(["export", *line.split()])


def files():
    """Names of all files here, hidden ones too."""
    return sorted(path.name for path in Path().iterdir())


def test_sql_goes_to_standard_output(here, capsys):
    """Ready to be pasted into a query."""
    assert call("c.json --to sql --dialect duckdb --column p") == 0
    text = capsys.readouterr().out
    ((value,),) = duckdb.sql(f"SELECT {text} FROM (SELECT 0.3::DOUBLE AS p)").fetchall()
    assert value == lwcal.load("c.json").predict([0.3])[0]
    assert files() == ["c.json"]


def test_python_goes_to_a_file(here, capsys):
    """That tests itself."""
    assert call("c.json --to python --max-error 0.001 --out calibrate.py") == 0
    assert capsys.readouterr().out == "wrote calibrate.py\n"
    finished = subprocess.run([sys.executable, "calibrate.py"], capture_output=True, check=False)
    assert finished.stdout.startswith(b"OK")
    assert call("c.json --to python --out calibrate.py") == 2
    assert call("c.json --to python --out calibrate.py --force") == 0


def test_programs_get_json(here, capsys):
    """About the file; what is printed instead of one is the export itself."""
    assert call("c.json --to python --out calibrate.py --json") == 0
    assert json.loads(capsys.readouterr().out) == {"to": "python", "written": ["calibrate.py"]}
    assert call("c.json --to sql --json") == 2
    assert "--json needs --out" in capsys.readouterr().err


def test_dbt_gets_two_files(here, capsys):
    """A macro, and its properties beside it; both are named, and neither replaces another."""
    assert call("c.json --to dbt --dialect duckdb --out calibrate.sql") == 0
    assert capsys.readouterr().out == "wrote calibrate.sql and calibrate.yml\n"
    assert files() == ["c.json", "calibrate.sql", "calibrate.yml"]
    assert call("c.json --to dbt --out calibrate.sql") == 2
    assert call("c.json --to dbt --out calibrate.sql --force --json") == 0
    written = json.loads(capsys.readouterr().out)["written"]
    assert written == ["calibrate.sql", "calibrate.yml"]
    assert call("c.json --to dbt") == 0
    assert capsys.readouterr().out.rstrip().endswith("{% endtest %}")


def test_onnx_alone_and_appended(here):
    """The second file needs the first only when it is made."""
    assert call("c.json --to onnx --out c.onnx") == 0
    session = onnxruntime.InferenceSession("c.onnx")
    (values,) = session.run(None, {"scores": np.array([0.1, 0.9])})
    np.testing.assert_array_equal(values, lwcal.load("c.json").predict([0.1, 0.9]))
    assert call("c.json --to onnx --out d.onnx --append-to c.onnx") == 2  # no two columns


@pytest.fixture
def three(here):
    """A calibrator of three classes, one of them with a blank in its name."""
    scores = np.vstack([np.eye(3) * 0.4 + 0.2, [0.5, 0.3, 0.2]])
    lwcal.save(lwcal.MatrixScaling().fit(scores, ["a", "b c", "é", "a"]), "three.json")


@pytest.mark.parametrize(
    "names",
    [["--column", "p_{class}"], ["--column", "p_a", "--column", "p_b c", "--column", "p_é"]],
    ids=["pattern", "list"],
)
def test_the_sql_of_several_classes_is_a_query(three, capsys, names):
    """With the columns of the classes, and those that stay."""
    options = [
        "--to",
        "sql",
        "--from-table",
        "main.shares",
        "--keep",
        "id",
        "--keep",
        "day",
        *names,
    ]
    assert run(["export", "three.json", *options]) == 0
    text = capsys.readouterr().out
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE shares AS SELECT 7 AS id, 'Mon' AS day, 0.5 AS "p_a", 0.2 AS "p_b c","""
            """ 0.3 AS "p_é", 1 AS other"""
        )
        result = connection.execute(text)
        named = ["id", "day", "calibrated_a", "calibrated_b c", "calibrated_é"]
        assert [column[0] for column in result.description] == named
        ((number, day, *values),) = result.fetchall()
    assert (number, day) == (7, "Mon")
    expected = lwcal.load("three.json").predict([[0.5, 0.2, 0.3]])[0]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def test_several_classes_in_onnx_and_python(three):
    """From the same file."""
    row = np.array([[0.5, 0.2, 0.3]])
    expected = lwcal.load("three.json").predict(row)
    assert call("three.json --to onnx --out c.onnx") == 0
    (values,) = onnxruntime.InferenceSession("c.onnx").run(None, {"scores": row})
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert call("three.json --to python --out calibrate.py") == 0
    finished = subprocess.run([sys.executable, "calibrate.py"], capture_output=True, check=False)
    assert finished.stdout.startswith(b"OK")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--to sql --column p", "3 column names, one for each class, got 1"),
        ("--to sql --keep lwcal_p0", "do not begin with lwcal_"),
        ("--to python --from-table t", "max_error with 'python', got from_table"),
    ],
)
def test_mistakes_with_several_classes(three, capsys, line, expected):
    """One line, and no output."""
    assert call(f"three.json {line}") == 2
    shown = capsys.readouterr()
    assert expected in " ".join(shown.err.split())
    assert not shown.out


def test_the_schema_needs_no_calibrator(here, capsys):
    """It is the same for all."""
    assert call("--to json-schema") == 0
    assert json.loads(capsys.readouterr().out)["$schema"]


MISTAKES = {
    "no target": ("c.json", "--to"),
    "target": (
        "c.json --to pmml",
        "'json-schema', got 'pmml'",
    ),
    "dialect": ("c.json --to sql --dialect db2", "duckdb, postgres"),
    "no calibrator": ("--to sql", "--to sql needs a calibrator"),
    "bytes": ("c.json --to onnx", "--to onnx needs --out"),
    "missing": ("no.json --to sql", "no.json"),
    "no model": ("c.json --to onnx --append-to no.onnx --out n.onnx", "no.onnx"),
    "other model": ("c.json --to onnx --append-to c.json --out n.onnx", "not an ONNX model"),
    "error": ("c.json --to sql --max-error 2", "max_error to be a number from 0 to 1"),
    "option": ("c.json --to python --column p", "max_error with 'python', got column"),
    "folder": ("c.json --to sql --out no/x.sql", "no/x.sql cannot be written"),
    "table": (
        "c.json --to sql --from-table t",
        "from_table belongs to the query of one calibrator",
    ),
    "columns": ("c.json --to sql --column a --column b", "1 column names, one per score, got 2"),
}


@pytest.mark.parametrize(("line", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_one_clear_line_and_write_nothing(here, capsys, line, expected):
    """Exit code 2, no traceback, no file."""
    assert call(line) == 2
    shown = " ".join(capsys.readouterr().err.split())
    assert expected in shown
    assert "Traceback" not in shown
    assert files() == ["c.json"]
