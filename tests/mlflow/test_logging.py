"""A calibrator in MLflow: what is logged, and what comes back."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import lwcal
import lwcal.mlflow
from lwcal.errors import ArtifactError, InputError, ParameterError


@pytest.fixture(scope="module")
def rows():
    """Scores and labels, a tenth of them wrong."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.6, 0.6, 1500)
    return scores, (rng.random(1500) < 0.1 + 0.8 * scores).astype(int)


@pytest.fixture(scope="module")
def three_classes():
    """Probabilities of three classes, and labels with names."""
    rng = np.random.default_rng(1)
    P = rng.dirichlet([0.5, 0.5, 0.5], 600)
    return P, np.array(["cat", "dog", "fish"])[
        (rng.random((600, 1)) > P.cumsum(axis=1)).sum(axis=1)
    ]


def test_everything_is_in_the_run(mlflow, rows):
    """The file, the report, metrics before and after, parameters; and nothing is pickled."""
    calibrator = lwcal.Auto().fit(*rows)
    with mlflow.start_run() as run:
        info = lwcal.mlflow.log_calibrator(calibrator, *rows)
    data = mlflow.get_run(run.info.run_id).data
    assert data.params["calibrator"] == "Auto"
    assert data.params["score_scale"] == "probability"
    expected = lwcal.metrics.evaluate(rows[1], rows[0])
    found = {name: value for name, value in data.metrics.items() if name.startswith("before/")}
    assert found == pytest.approx({f"before/{name}": value for name, value in expected.items()})
    after = lwcal.metrics.evaluate(rows[1], calibrator.predict(rows[0]))
    assert data.metrics["after/nll"] == pytest.approx(after["nll"])
    folder = Path(mlflow.artifacts.download_artifacts(info.model_uri))
    names = {path.name for path in folder.rglob("*") if path.is_file()}
    assert "calibrator.json" in names
    assert not [name for name in names if name.endswith((".pkl", ".pickle", ".joblib"))]
    page = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/report.html")
    assert "<h1>Calibration report</h1>" in page


def test_what_is_loaded_predicts_the_same_bits(mlflow, rows):
    """As a calibrator and as a model of MLflow, from the run and from the registry."""
    calibrator = lwcal.Beta().fit(*rows)
    info = lwcal.mlflow.log_calibrator(calibrator, registered_model_name="disputes")
    assert mlflow.active_run() is None
    expected = calibrator.predict(rows[0])
    for uri in (info.model_uri, "models:/disputes/1"):
        loaded = lwcal.mlflow.load_calibrator(uri)
        np.testing.assert_array_equal(loaded.predict(rows[0]), expected)
    model = mlflow.pyfunc.load_model("models:/disputes/1")
    index = np.arange(len(expected)) + 7
    found = model.predict(pd.DataFrame({"score": rows[0]}, index=index))
    np.testing.assert_array_equal(found["p_calibrated"], expected)
    assert found.index.tolist() == index.tolist()


def test_signature_and_example(mlflow, rows):
    """Columns have names and types, and the example is one that the model takes."""
    calibrator = lwcal.Platt().fit(*rows)
    info = lwcal.mlflow.log_calibrator(calibrator)
    assert info.signature.inputs.input_names() == ["score"]
    assert info.signature.outputs.input_names() == ["p_calibrated"]
    model = mlflow.pyfunc.load_model(info.model_uri)
    example = model.input_example
    assert model.predict(example)["p_calibrated"].between(0, 1).all()
    with pytest.raises(mlflow.MlflowException, match="score"):
        model.predict(pd.DataFrame({"other": [0.5]}))


def test_several_classes(mlflow, three_classes):
    """A column for each, found by name in any order."""
    P, labels = three_classes
    calibrator = lwcal.MatrixScaling().fit(P, labels)
    with mlflow.start_run() as run:
        info = lwcal.mlflow.log_calibrator(calibrator, P, labels, report=False)
    data = mlflow.get_run(run.info.run_id).data
    assert data.params["rows_of_the_fit"] == f"{len(labels)}"
    metrics = data.metrics
    expected = lwcal.metrics.class_evaluate(labels, P)
    assert {f"before/{name}" for name in expected} <= set(metrics)
    assert metrics["before/nll"] == pytest.approx(expected["nll"])
    model = mlflow.pyfunc.load_model(info.model_uri)
    columns = ["score_cat", "score_dog", "score_fish"]
    frame = pd.DataFrame(P, columns=columns)[columns[::-1]]
    found = model.predict(frame)
    assert list(found) == ["p_calibrated_cat", "p_calibrated_dog", "p_calibrated_fish"]
    np.testing.assert_array_equal(found.to_numpy(), calibrator.predict(P))
    loaded = lwcal.mlflow.pyfunc.LoadedCalibrator(calibrator)
    other = frame.rename(columns=lambda name: name.replace("score_", "p_"))
    np.testing.assert_allclose(loaded.predict(other), calibrator.predict(P), rtol=1e-12)


def test_logits_are_judged_as_probabilities(mlflow, rows):
    """The scale of the fit is recorded, and the example is on it."""
    logits = np.log(rows[0] / (1 - rows[0]))
    calibrator = lwcal.Isotonic().fit(logits, rows[1], scale="logit")
    with mlflow.start_run() as run:
        info = lwcal.mlflow.log_calibrator(calibrator, logits, rows[1], report=False)
    data = mlflow.get_run(run.info.run_id).data
    assert data.params["score_scale"] == "logit"
    expected = lwcal.metrics.evaluate(rows[1], rows[0])["nll"]
    assert data.metrics["before/nll"] == pytest.approx(expected)
    example = mlflow.pyfunc.load_model(info.model_uri).input_example
    assert example["score"].min() < 0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "expected"),
    [
        (lambda fitted, s, y: (fitted, s), {}, ParameterError, "scores and y, got no y"),
        (lambda fitted, s, y: (fitted, None, y), {}, ParameterError, "got no scores"),
        (lambda fitted, s, y: (fitted, s, y[:-1]), {}, InputError, "1,?499"),
        (lambda fitted, s, y: (fitted, s + 1, y), {}, InputError, "scores"),
        (lambda fitted, s, y: (fitted,), {"sample_weight": [1]}, ParameterError, "sample_weight"),
        (lambda fitted, s, y: (lwcal.Beta(),), {}, NotFittedError, "not fitted"),
        (lambda fitted, s, y: ("beta",), {}, ParameterError, "a calibrator, got str"),
    ],
)
def test_bad_input_is_refused_before_anything_is_logged(
    mlflow, rows, arguments, options, error, expected
):
    """No run is started."""
    fitted = lwcal.Platt().fit(*rows)
    before = len(mlflow.search_runs(output_format="list"))
    with pytest.raises(error, match=expected):
        lwcal.mlflow.log_calibrator(*arguments(fitted, *rows), **options)
    assert len(mlflow.search_runs(output_format="list")) == before
    assert mlflow.active_run() is None


def test_what_is_no_calibrator_is_refused(mlflow, tmp_path):
    """A run without one, and a file that is damaged."""
    with mlflow.start_run() as run:
        mlflow.log_text("{}", "model/other.json")
        mlflow.log_text("{}", "damaged/calibrator.json")
    with pytest.raises(ArtifactError, match=r"no file calibrator\.json.*log_calibrator"):
        lwcal.mlflow.load_calibrator(f"runs:/{run.info.run_id}/model")
    with pytest.raises(ArtifactError):
        lwcal.mlflow.load_calibrator(f"runs:/{run.info.run_id}/damaged")
    with pytest.raises(ArtifactError, match="a calibrator at 'models:/nobody/1'"):
        lwcal.mlflow.load_calibrator("models:/nobody/1")


def test_the_logged_file_is_the_artefact(mlflow, rows):
    """Other programs read it as they read every saved calibrator."""
    calibrator = lwcal.GatedLWCal().fit(*rows)
    info = lwcal.mlflow.log_calibrator(calibrator)
    (file,) = Path(mlflow.artifacts.download_artifacts(info.model_uri)).rglob("calibrator.json")
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(
        json.dumps(lwcal.artifact.to_document(calibrator))
    )
