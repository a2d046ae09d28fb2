"""One ONNX file that scores and calibrates, from real classifiers."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal.errors import InputError

OUTPUT = "probabilities_calibrated"


def rows_of(n_classes):
    """Features in float32, as most ONNX models take them, and labels."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, 300)
    X = (rng.normal(size=(300, 4)) + y[:, None]).astype(np.float32)
    return X, y


def saved(model, X, path, *, zipmap=False, opset=17):
    """A scikit-learn classifier as an ONNX file."""
    options = {id(model): {"zipmap": zipmap}}
    converted = to_onnx(model, X[:1], options=options, target_opset={"": opset, "ai.onnx.ml": 1})
    path.write_bytes(converted.SerializeToString())
    return path


def run(content, X):
    """All outputs by name."""
    session = onnxruntime.InferenceSession(content)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {session.get_inputs()[0].name: X}), strict=True))


@pytest.mark.parametrize(("zipmap", "opset"), [(False, 17), (True, 9)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_scores_and_calibrates(n_classes, zipmap, opset, tmp_path):
    """Its outputs stay, and the new output equals the result in Python."""
    X, y = rows_of(n_classes)
    model = RandomForestClassifier(12, random_state=0).fit(X[:150], y[:150])
    classifier = lwcal.CalibratedClassifier(FrozenEstimator(model), lwcal.LWCal())
    classifier.fit(X[150:], y[150:])
    path = saved(model, X, tmp_path / "model.onnx", zipmap=zipmap, opset=opset)
    before = run(path.read_bytes(), X)
    after = run(lwcal.export(classifier, "onnx", append_to=path), X)
    scores = before["output_probability" if zipmap else "probabilities"]
    if zipmap:
        scores = np.array([list(row.values()) for row in scores], dtype=np.float32)
    assert set(after) == {*before, OUTPUT}
    np.testing.assert_array_equal(after["output_label" if zipmap else "label"], y_label(before))
    expected = expected_of(classifier, scores)
    np.testing.assert_allclose(after[OUTPUT], expected, rtol=0, atol=1e-12)


def y_label(outputs):
    """Return the labels of the model, under either name."""
    return outputs.get("label", outputs.get("output_label"))


def expected_of(classifier, scores):
    """What the calibrators make of the probabilities of the ONNX model."""
    calibrators = classifier.calibrated_classifiers_[0].calibrators
    scores = np.clip(scores.astype(np.float64), 0, 1)
    used = scores[:, 1:] if len(calibrators) == 1 else scores
    columns = [c.predict(column) for c, column in zip(calibrators, used.T, strict=True)]
    return lwcal.classifier.combine(np.column_stack(columns), used)


@pytest.mark.parametrize(
    "calibrator",
    [lwcal.Identity(), lwcal.Beta(), lwcal.Platt(space="score"), lwcal.GatedLWCal()],
    ids=lambda calibrator: type(calibrator).__name__,
)
def test_a_calibrator_takes_the_second_column(calibrator, tmp_path):
    """Its output has both classes, like the model."""
    X, y = rows_of(2)
    model = LogisticRegression().fit(X, y)
    path = saved(model, X, tmp_path / "model.onnx", opset=9)
    calibrator.fit(model.predict_proba(X)[:, 1], y)
    out = tmp_path / "calibrated.onnx"
    outputs = run(lwcal.export(calibrator, "onnx", append_to=path, out=out), X)
    expected = calibrator.predict(outputs["probabilities"][:, 1])
    np.testing.assert_allclose(outputs[OUTPUT][:, 1], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(outputs[OUTPUT].sum(axis=1), 1.0, rtol=0, atol=1e-15)
    (entry,) = onnx.load(out).metadata_props
    assert (entry.key, f"{calibrator!r}" in entry.value) == ("lwcal", True)
    with pytest.raises(InputError, match="already calibrated"):
        lwcal.export(calibrator, "onnx", append_to=out)


@pytest.mark.parametrize("opset", [9, 13, 17])
def test_a_calibrator_of_several_classes_takes_all_columns(opset, tmp_path):
    """The model scores in float32; the result is that of these scores in Python."""
    X, y = rows_of(3)
    model = LogisticRegression().fit(X, y)
    path = saved(model, X, tmp_path / "model.onnx", opset=opset)
    calibrator = lwcal.MatrixScaling().fit(model.predict_proba(X), y)
    outputs = run(lwcal.export(calibrator, "onnx", append_to=path), X)
    scores = np.clip(outputs["probabilities"].astype(np.float64), 0.0, 1.0)
    np.testing.assert_allclose(outputs[OUTPUT], calibrator.predict(scores), rtol=0, atol=1e-12)


def test_a_classifier_of_several_classes(tmp_path):
    """With one calibrator for all classes, fitted to the model's scores."""
    X, y = rows_of(3)
    model = LogisticRegression().fit(X[:150], y[:150])
    classifier = lwcal.CalibratedClassifier(FrozenEstimator(model), lwcal.VectorScaling())
    classifier.fit(X[150:], y[150:])
    path = saved(model, X, tmp_path / "model.onnx")
    outputs = run(lwcal.export(classifier, "onnx", append_to=path), X)
    np.testing.assert_allclose(outputs[OUTPUT], classifier.predict_proba(X), rtol=0, atol=1e-5)
    np.testing.assert_allclose(outputs[OUTPUT].sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_another_number_of_classes_is_refused(tmp_path):
    """A calibrator of three classes at the end of a model of two."""
    X, y = rows_of(2)
    path = saved(LogisticRegression().fit(X, y), X, tmp_path / "model.onnx")
    three = lwcal.Identity().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(InputError, match="3 columns in probabilities"):
        lwcal.export(three, "onnx", append_to=path)


def hand_built(path, outputs, opset=17):
    """Save a model that returns its input under several names."""
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("Identity", ["X"], [name]) for name, _ in outputs]
    graph = helper.make_graph(
        nodes,
        "hand-built",
        [info("X", TensorProto.FLOAT, ["n", 2])],
        [info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
    )
    opsets = [helper.make_opsetid("", opset)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def test_the_output_named_after_probabilities_is_used(tmp_path):
    """If several outputs are candidates."""
    path = hand_built(tmp_path / "m.onnx", [("logits", ["n", 2]), ("Probs", ["n", 2])])
    calibrator = lwcal.Identity().fit([0.2, 0.8], [0, 1])
    X = np.array([[0.25, 0.75], [np.nan, np.nan], [0.0, 1.0000001], [0.0, 1.1]], np.float32)
    values = run(lwcal.export(calibrator, "onnx", append_to=path), X)[OUTPUT]
    np.testing.assert_array_equal(values[:, 1], [0.75, np.nan, 1.0, np.nan])


@pytest.mark.parametrize(
    ("outputs", "opset", "expected"),
    [
        ([("a", ["n", 2]), ("b", ["n", 2])], 17, r"one output of floats .*\['a', 'b'\]"),
        ([("a", ["n", 3])], 17, "2 columns in a of .* n x 3"),
        ([("a", ["n"])], 17, "shape n"),
        ([("a", ["n", 2])], 8, "opset 9 .* 8"),
    ],
)
def test_models_that_do_not_fit_are_refused(outputs, opset, expected, tmp_path):
    """The message names the file and its content."""
    path = hand_built(tmp_path / "m.onnx", outputs, opset)
    with pytest.raises(InputError, match=expected):
        lwcal.export(lwcal.Identity().fit([0.2, 0.8], [0, 1]), "onnx", append_to=path)


@pytest.mark.parametrize("content", [b"", b"no model", b"\xff" * 40])
def test_other_files_are_refused(content, tmp_path):
    """Whatever they contain."""
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"m\.onnx is not an ONNX model"):
        lwcal.export(lwcal.Identity().fit([0.2, 0.8], [0, 1]), "onnx", append_to=path)
