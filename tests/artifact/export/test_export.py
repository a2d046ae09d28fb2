"""``export``: its options, and the calls that it refuses."""

import sys

import pytest

import lwcal
from lwcal.class_maps import ClassIdentityMap
from lwcal.errors import MissingExtraError, OutputError, ParameterError
from tests.artifact.export.targets import carrying_classes


@pytest.fixture
def calibrator():
    """Fit any calibrator."""
    return lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"to": "pmml"}, "'sql', 'onnx', 'python', 'dbt', 'json-schema'.*'pmml'"),
        ({"to": "sql", "dialect": "oracle"}, "duckdb, postgres, .*'oracle'"),
        (
            {"to": "sql", "append_to": "m.onnx"},
            "dialect, column, segment, from_table, keep, max_error.*append_to",
        ),
        ({"to": "python", "dialect": "duckdb"}, "max_error.*dialect"),
        ({"to": "json-schema", "max_error": 0.1}, "no options.*max_error"),
        ({"to": "sql", "column": ""}, "a column name"),
        ({"to": "sql", "column": ["a", "b"]}, "1 column names.* 2"),
        ({"to": "sql", "max_error": 2.0}, "max_error.*2.0"),
        (
            {"to": "sql", "from_table": "t"},
            "from_table belongs to the query .* more than two classes",
        ),
        ({"to": "sql", "keep": ["id"]}, "keep belongs to the query .* more than two classes"),
    ],
)
def test_wrong_options_are_refused(calibrator, options, expected):
    """Including options of another target."""
    with pytest.raises(ParameterError, match=expected):
        lwcal.export(calibrator, **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"to": "sql", "column": "p"}, "3 column names, one for each class, got 1; .*{class}"),
        ({"to": "sql", "column": ["a", "b", ""]}, "a column name"),
        ({"to": "sql", "column": ["a", "b", "A"]}, "'a' and 'A'; rename one"),
        ({"to": "sql", "keep": ["id", "id"]}, "'id' and 'id'"),
        ({"to": "sql", "keep": ["calibrated_b"]}, "'calibrated_b' and 'calibrated_b'"),
        ({"to": "sql", "keep": ["LWCAL_p0"]}, "do not begin with lwcal_, got 'LWCAL_p0'"),
        ({"to": "sql", "keep": "id"}, "keep to be a list of column names, got 'id'"),
        ({"to": "sql", "from_table": "a..b"}, "a table name"),
        ({"to": "sql", "from_table": ""}, "a table name"),
        ({"to": "sql", "from_table": 5}, "a table name, got 5"),
        ({"to": "sql", "from_table": "main.lwcal_p"}, "begin with lwcal_, got 'lwcal_p'"),
        ({"to": "python", "keep": ["id"]}, "max_error with 'python', got keep"),
        ({"to": "onnx", "max_error": 2.0}, "max_error.*2.0"),
    ],
)
def test_wrong_options_of_several_classes_are_refused(options, expected):
    """Names that the engine would mistake, and those of two classes."""
    fitted = carrying_classes(ClassIdentityMap(3), "abc")
    with pytest.raises(ParameterError, match=expected):
        lwcal.export(fitted, **options)


@pytest.mark.parametrize("other", [None, "calibrator.json", object()])
def test_only_fitted_calibrators_are_exported(other):
    """Paths of saved calibrators are refused too."""
    with pytest.raises(ParameterError, match="a calibrator or a CalibratedClassifier, got"):
        lwcal.export(other, "sql")
    for unfitted in (lwcal.LWCal(), lwcal.Temperature()):
        with pytest.raises(ValueError, match="not fitted"):
            lwcal.export(unfitted, "sql")


@pytest.mark.parametrize("to", ["sql", "onnx", "python", "json-schema"])
def test_the_result_is_written_to_the_file(calibrator, to, tmp_path):
    """Atomically, and over an existing file only if requested."""
    path = tmp_path / "exported"
    content = lwcal.export(calibrator, to, out=path)
    assert path.read_bytes() == (content if to == "onnx" else content.encode())
    assert lwcal.export(calibrator, to) == content
    path.write_text("precious")
    with pytest.raises(OutputError, match="exported"):
        lwcal.export(calibrator, to, out=path)
    assert path.read_text() == "precious"
    assert lwcal.export(calibrator, to, out=path, overwrite=True) == content
    assert path.read_bytes() == (content if to == "onnx" else content.encode())


def test_without_onnx_one_line_says_how_to_install_it(calibrator, monkeypatch):
    """The other targets need nothing."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    for options in ({}, {"append_to": "m.onnx"}):
        with pytest.raises(MissingExtraError, match=r'pip install "lwcal\[export\]"'):
            lwcal.export(calibrator, "onnx", **options)
    for to in ("sql", "python", "dbt", "json-schema"):
        assert lwcal.export(calibrator, to)
