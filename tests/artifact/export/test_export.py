"""The one function for all targets: its options, and what it refuses."""

import sys

import pytest

import lwcal
from lwcal.errors import MissingExtraError, OutputError, ParameterError


@pytest.fixture
def calibrator():
    """Any."""
    return lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"to": "pmml"}, "to to be one of 'sql', 'onnx', 'python', 'json-schema', got 'pmml'"),
        ({"to": "sql", "dialect": "oracle"}, "a dialect out of duckdb, postgres, .* got 'oracle'"),
        ({"to": "sql", "append_to": "m.onnx"}, "dialect, column, max_error with 'sql', got append"),
        ({"to": "python", "dialect": "duckdb"}, "max_error with 'python', got dialect"),
        ({"to": "json-schema", "max_error": 0.1}, "no options with 'json-schema', got max_error"),
        ({"to": "sql", "column": ""}, "a column name"),
        ({"to": "sql", "column": ["a", "b"]}, "1 column names, one a score, got 2"),
        ({"to": "sql", "max_error": 2.0}, "max_error to be a number from 0 to 1"),
    ],
)
def test_wrong_options_are_refused(calibrator, options, expected):
    """Also those that belong to another target."""
    with pytest.raises(ParameterError, match=expected):
        lwcal.export(calibrator, **options)


@pytest.mark.parametrize("other", [None, "calibrator.json", object()])
def test_only_fitted_calibrators_are_exported(other):
    """Not what they were saved as, either."""
    with pytest.raises(ParameterError, match="a calibrator or a CalibratedClassifier, got"):
        lwcal.export(other, "sql")
    with pytest.raises(ValueError, match="not fitted"):
        lwcal.export(lwcal.LWCal(), "sql")


@pytest.mark.parametrize("to", ["sql", "onnx", "python", "json-schema"])
def test_what_is_returned_is_what_is_written(calibrator, to, tmp_path):
    """Complete or not at all, and never over another file unless that is wanted."""
    path = tmp_path / "exported"
    content = lwcal.export(calibrator, to, out=path)
    assert path.read_bytes() == (content if to == "onnx" else content.encode())
    assert lwcal.export(calibrator, to) == content
    path.write_text("precious")
    with pytest.raises(OutputError, match="--force"):
        lwcal.export(calibrator, to, out=path, overwrite=False)
    assert path.read_text() == "precious"


def test_without_onnx_one_line_says_how_to_install_it(calibrator, monkeypatch):
    """The other targets need nothing."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    for options in ({}, {"append_to": "m.onnx"}):
        with pytest.raises(MissingExtraError, match=r'pip install "lwcal\[export\]"'):
            lwcal.export(calibrator, "onnx", **options)
    for to in ("sql", "python", "json-schema"):
        assert lwcal.export(calibrator, to)
