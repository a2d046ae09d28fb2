"""``export``: its options, and the calls that it refuses."""

import sys

import pytest

import lwcal
from lwcal.errors import MissingExtraError, OutputError, ParameterError


@pytest.fixture
def calibrator():
    """Fit any calibrator."""
    return lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"to": "pmml"}, "'sql', 'onnx', 'python', 'json-schema'.*'pmml'"),
        ({"to": "sql", "dialect": "oracle"}, "duckdb, postgres, .*'oracle'"),
        ({"to": "sql", "append_to": "m.onnx"}, "dialect, column, max_error.*append_to"),
        ({"to": "python", "dialect": "duckdb"}, "max_error.*dialect"),
        ({"to": "json-schema", "max_error": 0.1}, "no options.*max_error"),
        ({"to": "sql", "column": ""}, "a column name"),
        ({"to": "sql", "column": ["a", "b"]}, "1 column names.* 2"),
        ({"to": "sql", "max_error": 2.0}, "max_error.*2.0"),
    ],
)
def test_wrong_options_are_refused(calibrator, options, expected):
    """Including options of another target."""
    with pytest.raises(ParameterError, match=expected):
        lwcal.export(calibrator, **options)


@pytest.mark.parametrize("other", [None, "calibrator.json", object()])
def test_only_fitted_calibrators_are_exported(other):
    """Paths of saved calibrators are refused too."""
    with pytest.raises(ParameterError, match="a calibrator or a CalibratedClassifier, got"):
        lwcal.export(other, "sql")
    with pytest.raises(ValueError, match="not fitted"):
        lwcal.export(lwcal.LWCal(), "sql")


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
    for to in ("sql", "python", "json-schema"):
        assert lwcal.export(calibrator, to)
