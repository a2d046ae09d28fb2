"""Saved calibrators: bit-identical, versioned, and refused when damaged."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.artifact import SCHEMA_VERSION, from_document, to_document
from lwcal.calibrators import CALIBRATORS, ClassCalibrator
from lwcal.class_maps import ScalingMap
from lwcal.errors import ArtifactError, OutputError, ParameterError
from tests.artifact.make_golden import ADJUSTED, CLASS_POINTS, CLASSES, FOLDER, NEWEST, POINTS
from tests.strategies import rows

GRID = np.linspace(0, 1, 1001)
GOLDEN = sorted(path for path in FOLDER.glob("v*/*.json") if ".expected" not in path.name)


def fitted_attributes(calibrator):
    """Every public attribute that ends in an underscore, in a form that can be compared."""
    names = {*vars(calibrator), *vars(lwcal.calibrators.Calibrator)}
    found = {name: getattr(calibrator, name) for name in names if name.endswith("_")}
    return {name: plain(value) for name, value in found.items() if not name.startswith("_")}


def plain(value):
    """Arrays as lists, all the way down."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


@pytest.mark.parametrize("method", CALIBRATORS)
@given(data=rows())
def test_a_loaded_calibrator_predicts_the_same_bits(method, data):
    """Through JSON text and back, for any rows."""
    fitted = CALIBRATORS[method]().fit(*data)
    loaded = from_document(json.loads(json.dumps(to_document(fitted), allow_nan=False)))
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert fitted_attributes(loaded) == fitted_attributes(fitted)


def test_files_round_trip(tmp_path, noisy_rows):
    """Save and load by path; the audit record of the loaded calibrator is the same."""
    fitted = lwcal.GatedLWCal(floor=0.1).fit(*noisy_rows)
    lwcal.save(fitted, tmp_path / "c.json")
    loaded = lwcal.load(tmp_path / "c.json")
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    a, b = (lwcal.label_weights(c, *noisy_rows) for c in (fitted, loaded))
    np.testing.assert_array_equal(a.weight, b.weight)
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_files_of_every_version_load(path):
    """What an earlier version wrote still predicts what it predicted then."""
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    # the parametric maps call the platform's log and exp, which may differ in the last bit
    loaded = lwcal.load(path)
    points = CLASS_POINTS if hasattr(loaded, "classes_") else POINTS
    np.testing.assert_allclose(loaded.predict(points), expected, rtol=1e-13, atol=1e-16)
    assert bool(loaded.adjustments_) == (path.parent == ADJUSTED)


def test_there_is_a_golden_file_for_every_calibrator():
    """A new calibrator needs one too."""
    assert {path.stem for path in GOLDEN} == set(CALIBRATORS)
    assert {path.stem for path in GOLDEN if path.parent == NEWEST} == {
        "auto",
        "noise-aware",
        "audited",
        "reviewed",
    }
    assert {path.stem for path in GOLDEN if path.parent == CLASSES} == {
        name for name, kind in CALIBRATORS.items() if issubclass(kind, ClassCalibrator)
    }


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_earlier_files_lack_is_none(path):
    """Only files of the newest form hold the noise estimate and the decision."""
    loaded = lwcal.load(path)
    infers = path.stem in ("auto", "noise-aware", "audited", "reviewed")
    has_all = path.parent == NEWEST or (path.parent in (CLASSES, ADJUSTED) and infers)
    assert (loaded.noise_ is not None) == has_all
    if path.stem == "auto":
        assert (loaded.decision_ is not None) == has_all
    if path.stem == "reviewed":
        assert loaded.reviews_ is not None


def valid():
    """A document to damage."""
    return to_document(lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1]))


DAMAGES = {
    "not an object": (lambda d: [d], "a JSON object"),
    "other format": (lambda d: {**d, "format": "pmml"}, "got 'pmml'"),
    "no version": (lambda d: {**d, "schema_version": None}, "schema_version of 1 or more"),
    "version zero": (lambda d: {**d, "schema_version": 0}, "schema_version of 1 or more"),
    "newer": (lambda d: {**d, "schema_version": 99}, "upgrade lwcal"),
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


def test_an_existing_file_is_protected(tmp_path):
    """By default; with overwrite=True it is replaced."""
    path = Path(tmp_path / "c.json")
    path.write_text("precious")
    fitted = lwcal.LWCal().fit([0.2, 0.8], [0, 1])
    with pytest.raises(OutputError, match=r"c\.json"):
        lwcal.save(fitted, path)
    assert path.read_text() == "precious"
    lwcal.save(fitted, path, overwrite=True)
    assert lwcal.load(path).get_params() == fitted.get_params()


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
    with pytest.raises(ArtifactError, match=r"upgrade lwcal.*99\.0\.0"):
        from_document(newer)


def test_golden_files_exist_for_every_schema_version():
    """A version that was ever written is read for ever."""
    folders = {path.parent.name for path in GOLDEN}
    versions = {f"v{number}" for number in range(1, SCHEMA_VERSION + 1)}
    assert folders == {*versions, NEWEST.name, CLASSES.name, ADJUSTED.name}


def with_noise():
    """A document with a noise estimate and a decision, to damage."""
    return to_document(lwcal.Auto().fit([0.1, 0.4, 0.6, 0.9] * 5, [0, 0, 1, 1] * 5))


INFERRED_DAMAGES = {
    "noise is a list": ("noise", lambda part: [part]),
    "no rate": ("noise", lambda part: {**part, "negative": None}),
    "a rate above 1": ("noise", lambda part: {**part, "negative": {**part["negative"], "low": 2}}),
    "no probability": ("noise", lambda part: {**part, "probability_clean": None}),
    "a level above 1": ("noise", lambda part: {**part, "confidence": 90}),
    "no draws": ("noise", lambda part: {**part, "draws": []}),
    "pairs": ("noise", lambda part: {**part, "draws": [[0.1, 0.2]]}),
    "words": ("noise", lambda part: {**part, "draws": [["a", "b", "c"]]}),
    "too many draws": ("noise", lambda part: {**part, "draws": [[0.1, 0.1, 0.0005]] * 2000}),
    "no choice": ("decision", lambda part: {**part, "choice": "all"}),
    "no cost": ("decision", lambda part: {**part, "cost_unbounded": None}),
    "decision is a word": ("decision", lambda part: "raw"),
}
BEYOND_A_SCHEMA_TOO = {
    "weights": ("noise", lambda part: {**part, "draws": [[0.1, 0.2, 0.5]]}),
    "impossible rates": ("noise", lambda part: {**part, "draws": [[0.6, 0.6, 1.0]]}),
}


@pytest.mark.parametrize("name", INFERRED_DAMAGES | BEYOND_A_SCHEMA_TOO)
def test_damaged_estimates_and_decisions_are_refused(name):
    """Naming the field."""
    field, damage = (INFERRED_DAMAGES | BEYOND_A_SCHEMA_TOO)[name]
    document = with_noise()
    with pytest.raises(ArtifactError, match=field):
        from_document({**document, field: damage(document[field])})


def changed(part, **fields):
    """The reviews with other fields in the first explanation."""
    first, *others = part["explanations"]
    return {**part, "explanations": [{**first, **fields}, *others]}


REVIEW_DAMAGES = {
    "a list": lambda part: [part],
    "no reviewers": lambda part: {**part, "reviewers": []},
    "a rank beyond the last": lambda part: {
        **part,
        "reviewers": [{**one, "rank": [1, 9]} for one in part["reviewers"]],
    },
    "no agreement": lambda part: {**part, "agreement": None},
    "no explanation": lambda part: {**part, "explanations": []},
    "probabilities that do not add up": lambda part: changed(part, probability=0.0),
    "a probability above 1": lambda part: changed(part, probability=2.0),
    "no scaling": lambda part: changed(part, scaling=None),
    "a map of scores": lambda part: changed(part, scaling={"kind": "identity"}),
    "a scaling of three classes": lambda part: changed(
        part, scaling=ScalingMap(np.eye(3), np.zeros(3), 0.1).to_dict()
    ),
    "a scaling of words": lambda part: changed(
        part, scaling={"kind": "class_scaling", "matrix": "x", "intercepts": [], "softness": 1}
    ),
    "matrices of three reviewers": lambda part: changed(part, matrices=[np.eye(2).tolist()] * 3),
    "a matrix of counts": lambda part: changed(part, matrices=[[[5, 1], [1, 5]]]),
    "hard rows without a share": lambda part: changed(
        part, hard_rows={"matrix": np.eye(2).tolist()}
    ),
}


@pytest.mark.parametrize("damage", REVIEW_DAMAGES.values(), ids=REVIEW_DAMAGES.keys())
def test_damaged_reviews_are_refused(damage):
    """Nothing that a fit could not have written."""
    document = json.loads((NEWEST / "reviewed.json").read_text())
    assert from_document(document).reviews_ is not None
    with pytest.raises(ArtifactError, match=r"expected|not valid"):
        from_document({**document, "reviews": damage(document["reviews"])})


def test_corrected_metrics_accept_a_loaded_calibrator(tmp_path, noisy_rows):
    """With the same value as by the estimate it was fitted with, and nearly the same interval."""
    scores, labels = noisy_rows
    fitted = lwcal.NoiseAware().fit(scores, labels)
    lwcal.save(fitted, tmp_path / "c.json")
    loaded = lwcal.load(tmp_path / "c.json")
    assert len(loaded.rates_posterior.points) <= 200
    p = loaded.predict(scores)
    full = lwcal.metrics.corrected_brier(
        labels, p, noise_rates=lwcal.estimate_noise(scores, labels)
    )
    thin = lwcal.metrics.corrected_brier(labels, p, noise_rates=loaded)
    assert thin.value == pytest.approx(full.value, abs=1e-10)
    assert (thin.low, thin.high) == pytest.approx((full.low, full.high), abs=0.01)
    with pytest.raises(ParameterError, match="Platt"):
        lwcal.metrics.corrected_brier(labels, p, noise_rates=lwcal.Platt().fit(scores, labels))
