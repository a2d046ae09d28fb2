"""ONNX models in CalibratedClassifier, run by onnxruntime."""

import pickle
import warnings

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import lwcal
from lwcal import CalibratedClassifier, FittedModel
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import assert_probabilities


def converted(model, X, **options):
    """A classifier of scikit-learn as the bytes of an ONNX model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the converter
        return to_onnx(model, X[:1].astype(np.float32), **options).SerializeToString()


def network(weights, *, name="logits", columns=None):
    """A linear network: features (n, 4) times weights."""
    columns = weights.shape[1] if columns is None else columns
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], [name])],
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 4])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, columns])],
        [numpy_helper.from_array(weights.astype(np.float32), "w")],
    )
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8)


@pytest.fixture(scope="module")
def logistic(rows):
    """A classifier of scikit-learn, and the bytes of the same one."""
    X, y, _ = rows
    model = LogisticRegression().fit(X[:450], y[:450])
    return model, converted(model, X, options={"zipmap": False})


@pytest.mark.parametrize("kind", ["bytes", "path", "text", "model", "session"])
def test_every_form_of_a_model_is_read(rows, logistic, tmp_path, kind):
    """The scores are probabilities, and the result that of the classifier behind the file."""
    X, y, _ = rows
    original, content = logistic
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    model = {
        "bytes": lambda: content,
        "path": lambda: path,
        "text": lambda: str(path),
        "model": lambda: onnx.load_from_string(content),
        "session": lambda: onnxruntime.InferenceSession(content),
    }[kind]()
    calibrated = CalibratedClassifier(FittedModel(model), lwcal.Beta()).fit(X[450:], y[450:])
    scores = original.predict_proba(X)[:, 1]
    by_hand = lwcal.Beta().fit(scores[450:], y[450:])
    assert calibrated.calibrated_classifiers_[0].calibrators[0].scale_ == "probability"
    found = calibrated.predict_proba(X)[:, 1]
    np.testing.assert_allclose(found, by_hand.predict(scores), atol=1e-5)


def test_a_zip_map_names_the_classes(rows):
    """Its dictionaries have the classes as keys, in the order of the columns."""
    X, _, three = rows
    names = np.array(["cat", "dog", "fish"])[three]
    content = converted(LogisticRegression().fit(X, names), X)
    calibrated = CalibratedClassifier(FittedModel(content)).fit(X, names)
    assert calibrated.classes_.tolist() == ["cat", "dog", "fish"]
    assert_probabilities(calibrated.predict_proba(X), 3)


def test_names_without_an_order_must_be_given(rows):
    """A tensor of probabilities does not say which column is which."""
    X, y, _ = rows
    names = np.where(y, "yes", "no")
    content = converted(LogisticRegression().fit(X, names), X, options={"zipmap": False})
    with pytest.raises(ParameterError, match=r"known classes.*classes=\[\.\.\.\]"):
        CalibratedClassifier(FittedModel(content)).fit(X, names)
    named = FittedModel(content, classes=["no", "yes"])
    assert (CalibratedClassifier(named).fit(X, names).predict(X) == names).mean() > 0.65


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_logits_of_a_network(rows, n_columns):
    """One column of log-odds, two whose difference is the log-odds, or one for each class."""
    X, two, three = rows
    y = three if n_columns == 3 else two
    weights = np.random.default_rng(0).normal(size=(4, n_columns))
    model = FittedModel(
        network(weights), classes=sorted(set(y.tolist())), output="logits", scale="logit"
    )
    logits = (X.astype(np.float32) @ weights.astype(np.float32)).astype(np.float64)
    calibrated = CalibratedClassifier(model, lwcal.Platt()).fit(X, y)
    assert_probabilities(calibrated.predict_proba(X), max(2, n_columns))
    if n_columns < 3:
        margins = logits[:, -1] - (logits[:, 0] if n_columns == 2 else 0.0)
        np.testing.assert_allclose(model.decision_function(X), margins, atol=1e-5)
        assert calibrated.calibrated_classifiers_[0].calibrators[0].scale_ == "logit"
    else:
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-5)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_inputs_by_name(frame):
    """A model with an input for each column gets those of a frame."""
    rng = np.random.default_rng(0)
    age, team = rng.normal(size=400), rng.choice(["a", "b"], 400)
    y = (age + (team == "a") + rng.logistic(size=400) > 0).astype(int)
    columns = pd.DataFrame({"age": age, "team": team})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["team"]), remainder="passthrough"),
        LogisticRegression(),
    ).fit(columns, y)
    types = [("age", FloatTensorType([None, 1])), ("team", StringTensorType([None, 1]))]
    content = to_onnx(model, initial_types=types, options={"zipmap": False}).SerializeToString()
    fitted = FittedModel(content)
    found = fitted.predict_proba(frame({"age": age, "team": team}))
    np.testing.assert_allclose(found, model.predict_proba(columns), atol=1e-5)
    with pytest.raises(InputError, match=r"\['age', 'team'\].*'team' in DataFrame"):
        fitted.predict_proba(columns[["age"]])
    with pytest.raises(InputError, match="none named 'age' in ndarray"):
        fitted.predict_proba(np.zeros((3, 2)))


def test_a_row_that_cannot_be_tried_needs_classes(capfd):
    """A ZipMap shows its classes only when it runs, and this model refuses unknown words."""
    team = np.array(["a", "b"] * 50)[:, None]
    y = np.array([0, 1] * 50)
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(team, y)
    types = [("team", StringTensorType([None, 1]))]
    content = to_onnx(model, initial_types=types).SerializeToString()
    with pytest.raises(ParameterError, match=r"a row of zeros: .*Category.*classes=\[\.\.\.\]"):
        _ = FittedModel(content).classes_
    assert (FittedModel(content, classes=[0, 1]).predict(team) == y).all()


def test_a_regressor_is_refused(rows):
    """Its one column could be a probability only if somebody says so."""
    X, y, _ = rows
    content = converted(LinearRegression().fit(X, y), X)
    with pytest.raises(ParameterError, match=r"for each class.*a regressor cannot.*'variable'"):
        CalibratedClassifier(FittedModel(content)).fit(X, y)
    with pytest.raises(InputError, match=r"scores"):
        CalibratedClassifier(FittedModel(content, output="variable")).fit(100 * X, y)


def test_outputs_are_chosen_by_name(rows, logistic):
    """A name that is not there is refused, with those that are."""
    X, y, _ = rows
    _, content = logistic
    found = FittedModel(content, output="probabilities").predict_proba(X)
    np.testing.assert_array_equal(found, FittedModel(content).predict_proba(X))
    with pytest.raises(ParameterError, match=r"'scores'.*'label', 'probabilities'"):
        CalibratedClassifier(FittedModel(content, output="scores")).fit(X, y)
    with pytest.raises(ParameterError, match=r"scale.*'percent'"):
        CalibratedClassifier(FittedModel(content, scale="percent")).fit(X, y)


def test_two_outputs_of_numbers_must_be_told_apart():
    """The message lists them."""
    model = network(np.ones((4, 2)))
    model.graph.node.append(helper.make_node("Softmax", ["logits"], ["shares"]))
    model.graph.output.append(helper.make_tensor_value_info("shares", TensorProto.FLOAT, [None, 2]))
    with pytest.raises(ParameterError, match=r"one output of scores.*logits.*shares.*output="):
        _ = FittedModel(model).classes_
    assert FittedModel(model, output="shares").classes_.tolist() == [0, 1]


def test_a_model_without_a_number_of_features_needs_classes(rows):
    """No row can be tried out; so the classes are named."""
    X, y, _ = rows
    types = [("x", FloatTensorType([None, None]))]
    content = to_onnx(LogisticRegression().fit(X, y), initial_types=types).SerializeToString()
    with pytest.raises(ParameterError, match=r"fixed number of features.*classes=\[\.\.\.\]"):
        _ = FittedModel(content).classes_
    named = FittedModel(content, classes=["a", "b"])
    assert_probabilities(np.clip(named.predict_proba(X), 0.0, 1.0), 2)


def test_other_numbers_of_columns_are_refused(rows):
    """More classes were named than the model has."""
    X, _, _ = rows
    model = FittedModel(network(np.ones((4, 2))), classes=["a", "b", "c"], scale="logit")
    with pytest.raises(InputError, match=r"each of 3 classes.*\(900, 2\)"):
        model.predict_proba(X)


@pytest.mark.parametrize("content", [b"no model", b""])
def test_what_is_no_model_is_refused(content, tmp_path):
    """With the words of onnxruntime; a missing file is called so."""
    with pytest.raises(InputError, match="an ONNX model"):
        _ = FittedModel(content).classes_
    with pytest.raises(InputError, match=r"no file '.*gone\.onnx'"):
        _ = FittedModel(tmp_path / "gone.onnx").classes_


def test_inputs_of_other_types_are_refused():
    """Numbers of eight bits are no features."""
    model = network(np.ones((4, 2)))
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT8
    model.graph.node.insert(0, helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT))
    model.graph.node[1].input[0] = "y"
    fitted = FittedModel(model, scale="logit")
    with pytest.raises(ParameterError, match=r"inputs of the types.*tensor\(int8\)"):
        fitted.predict_proba(np.zeros((3, 4)))


def test_a_pickled_model_starts_a_session_again(rows, logistic):
    """Sessions cannot be pickled; the bytes can."""
    X, y, _ = rows
    fitted = CalibratedClassifier(FittedModel(logistic[1])).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
