"""Saved calibrators: bit-identical, versioned, and refused when damaged."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.artifact import SCHEMA_VERSION, from_document, to_document
from lwcal.calibrators import CALIBRATORS
from lwcal.errors import ArtifactError, OutputError
from tests.artifact.make_golden import FOLDER, POINTS
from tests.strategies import rows

GRID = np.linspace(0, 1, 1001)
GOLDEN = sorted(path for path in FOLDER.glob("v*/*.json") if ".expected" not in path.name)


@pytest.mark.parametrize("method", CALIBRATORS)
@given(data=rows())
def test_a_loaded_calibrator_predicts_the_same_bits(method, data):
    """Through JSON text and back, for any rows."""
    fitted = CALIBRATORS[method]().fit(*data)
    loaded = from_document(json.loads(json.dumps(to_document(fitted), allow_nan=False)))
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert (loaded.n_, loaded.diagnostics_) == (fitted.n_, fitted.diagnostics_)


def test_files_round_trip(tmp_path, noisy_rows):
    """Save and load by path; the audit record of the loaded calibrator is the same."""
    fitted = lwcal.GatedLWCal(floor=0.1).fit(*noisy_rows)
    lwcal.save(fitted, tmp_path / "c.json")
    loaded = lwcal.load(tmp_path / "c.json")
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    a, b = (lwcal.audit_table(c, *noisy_rows) for c in (fitted, loaded))
    np.testing.assert_array_equal(a.weight, b.weight)
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_files_of_every_version_load(path):
    """What an earlier version wrote still predicts what it predicted then."""
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    # the parametric maps call the platform's log and exp, which may differ in the last bit
    np.testing.assert_allclose(lwcal.load(path).predict(POINTS), expected, rtol=1e-13, atol=1e-16)


def test_there_is_a_golden_file_for_every_calibrator():
    """A new calibrator needs one too."""
    assert {path.stem for path in GOLDEN} == set(CALIBRATORS)


def valid():
    """A document to damage."""
    return to_document(lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1]))


DAMAGES = {
    "not an object": (lambda d: [d], "a JSON object"),
    "other format": (lambda d: {**d, "format": "pmml"}, "got 'pmml'"),
    "no version": (lambda d: {**d, "schema_version": None}, "schema_version of 1 or more"),
    "version zero": (lambda d: {**d, "schema_version": 0}, "schema_version of 1 or more"),
    "newer": (lambda d: {**d, "schema_version": 99}, "upgrade lwcal to read what version"),
    "method": (lambda d: {**d, "method": "magic"}, "a method out of identity"),
    "method type": (lambda d: {**d, "method": ["lwcal"]}, "a method out of identity"),
    "parameters": (lambda d: {**d, "parameters": None}, "parameters to be an object"),
    "unknown parameter": (lambda d: {**d, "parameters": {"depth": 3}}, "got depth"),
    "parameter type": (lambda d: {**d, "parameters": {"pos_label": []}}, "pos_label to be a str"),
    "parameter value": (lambda d: {**d, "parameters": {"floor": 7}}, "floor to be a number"),
    "n": (lambda d: {**d, "n": -1}, "n to be a positive number"),
    "diagnostics": (lambda d: {**d, "diagnostics": {"m": "x"}}, "an object of finite numbers"),
    "missing diagnostic": (lambda d: {**d, "diagnostics": {"m": 1.0}}, "got no s"),
    "no map": (lambda d: {k: v for k, v in d.items() if k != "map"}, "a map of kind"),
    "falling map": (
        lambda d: {**d, "map": {"kind": "piecewise_linear", "x": [0.1, 0.2], "y": [1, 0]}},
        "never decrease",
    ),
}


@pytest.mark.parametrize(("damage", "expected"), DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_documents_are_refused(damage, expected, tmp_path):
    """The message names the file and the fault."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps(damage(valid())))
    with pytest.raises(ValueError, match=expected):
        lwcal.load(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "a syntax error"),
        (b'{"format": "lwcal-calib', "a syntax error"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'{"n": NaN}', "finite numbers, got NaN"),
        (b'{"n": -Infinity}', "finite numbers, got -Infinity"),
    ],
)
def test_files_that_are_not_json_are_refused(content, expected, tmp_path):
    """Truncated, binary or not strict."""
    path = tmp_path / "c.json"
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match=expected):
        lwcal.load(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted(valid())), value=json_values)
def test_no_single_field_can_smuggle_in_a_broken_calibrator(field, value):
    """Replace any field by anything: refused by us, or a calibrator that works."""
    try:
        loaded = from_document({**valid(), field: value})
    except ValueError as error:
        assert "expected" in str(error)
    else:
        values = loaded.predict(GRID)
        assert ((values >= 0) & (values <= 1)).all()


def test_only_fitted_calibrators_of_ours_are_saved(tmp_path):
    """Unfitted, foreign and unwritable ones leave no file behind."""

    class Mine(lwcal.LWCal):
        """A calibrator that no other installation knows."""

    rows = [0.2, 0.8], [0, 1]
    for calibrator in (
        lwcal.LWCal(),
        Mine().fit(*rows),
        lwcal.LWCal(pos_label=("a",)).fit_table(lwcal.ScoreTable.from_arrays(*rows)),
    ):
        with pytest.raises(ValueError, match=r"not fitted|a calibrator of lwcal|pos_label to be"):
            lwcal.save(calibrator, tmp_path / "c.json")
    assert list(tmp_path.iterdir()) == []


def test_numpy_parameters_are_written_as_numbers(tmp_path):
    """A grid search sets numpy scalars."""
    fitted = lwcal.LWCal(floor=np.float64(0.1), pos_label=np.int64(1)).fit([0.2, 0.8], [0, 1])
    lwcal.save(fitted, tmp_path / "c.json")
    assert lwcal.load(tmp_path / "c.json").get_params() == fitted.get_params()


def test_an_existing_file_can_be_protected(tmp_path):
    """overwrite=False refuses and leaves the file alone."""
    path = Path(tmp_path / "c.json")
    path.write_text("precious")
    with pytest.raises(OutputError, match="--force"):
        lwcal.save(lwcal.LWCal().fit([0.2, 0.8], [0, 1]), path, overwrite=False)
    assert path.read_text() == "precious"


def test_the_grid_is_recorded_where_scores_were_rounded():
    """Older files have none, and neither do exact fits."""
    frame = {"s": [0.1, 0.2, 0.8, 0.9], "y": [0, 0, 1, 1]}
    tables = [lwcal.ScoreTable.from_frame(frame, "s", "y", limit=limit) for limit in (4, 3)]
    exact, rounded = (to_document(lwcal.Isotonic().fit_table(table)) for table in tables)
    assert "grid" not in exact
    assert from_document(exact).grid_ is None
    assert rounded["grid"] == from_document(rounded).grid_ == 2.0**-20
    for wrong in (0.0, 2, "fine", True, float("nan")):
        with pytest.raises(ArtifactError, match="a grid in"):
            from_document({**rounded, "grid": wrong})


def test_fields_of_later_versions_are_ignored_and_earlier_files_lack_some():
    """Neither needs a new schema version: one is not known yet, the other was not yet."""
    document = valid()
    expected = from_document(document).predict(POINTS)
    later = from_document({**document, "signed_by": "somebody", "lwcal_version": "99.0.0"})
    np.testing.assert_array_equal(later.predict(POINTS), expected)
    earlier = {k: v for k, v in document.items() if k not in ("reference", "grid", "lwcal_version")}
    loaded = from_document(earlier)
    np.testing.assert_array_equal(loaded.predict(POINTS), expected)
    assert (loaded.reference_, loaded.grid_) == (None, None)


def test_a_newer_schema_is_refused_with_the_version_that_wrote_it():
    """Its fields may mean something else, even if they look familiar."""
    newer = {**valid(), "schema_version": SCHEMA_VERSION + 1, "lwcal_version": "99.0.0"}
    with pytest.raises(ArtifactError, match=r"upgrade lwcal to read what version 99\.0\.0 wrote"):
        from_document(newer)


def test_golden_files_exist_for_every_schema_version():
    """A version that was ever written is read for ever."""
    folders = {path.parent.name for path in GOLDEN}
    assert folders == {f"v{number}" for number in range(1, SCHEMA_VERSION + 1)}
