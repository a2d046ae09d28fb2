"""Temperature, vector and matrix scaling, of one column and of all classes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import lwcal
from lwcal.artifact.reading import load_score_map
from lwcal.errors import ArtifactError, InputError, ParameterError
from tests.classifier.helpers import Replay
from tests.multiclass.test_joint_fit import rows_of

SCALINGS = (lwcal.Temperature, lwcal.VectorScaling, lwcal.MatrixScaling)
ANY = (*SCALINGS, lwcal.Identity)


@pytest.mark.parametrize("cls", ANY)
def test_two_columns_are_one(cls):
    """The second column alone gives the same fit."""
    scores, labels = rows_of(500, n_classes=2)
    both = cls().fit(scores, labels)
    one = cls().fit(scores[:, 1], labels)
    found = both.predict(scores)
    np.testing.assert_allclose(found[:, 1], one.predict(scores[:, 1]), atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert both.classes_.tolist() == [0, 1]
    assert not hasattr(one, "classes_")


def test_temperature_of_two_classes_is_the_best_one():
    """Against a search over all temperatures, without a prior."""
    scores, labels = rows_of(20_000, n_classes=2)
    logit = np.log(scores[:, 1] / scores[:, 0])

    def loss(log_slope):
        return np.logaddexp(0.0, np.where(labels, -1, 1) * np.exp(log_slope) * logit).sum()

    best = np.exp(minimize_scalar(loss, bounds=(-3, 3), options={"xatol": 1e-10}).x)
    found = lwcal.Temperature().fit(scores[:, 1], labels).diagnostics_["slope"]
    assert found == pytest.approx(best, rel=1e-3)


def test_temperature_of_several_classes_is_the_best_one():
    """Against the same search."""
    scores, labels = rows_of(20_000)
    logs = np.log(scores + 0.5 / len(scores))

    def loss(log_slope):
        z = np.exp(log_slope) * logs
        return (np.logaddexp.reduce(z, axis=1) - z[np.arange(len(z)), labels]).sum()

    best = np.exp(minimize_scalar(loss, bounds=(-3, 3), options={"xatol": 1e-10}).x)
    found = lwcal.Temperature().fit(scores, labels)
    assert found.diagnostics_["slope"] == pytest.approx(best, rel=1e-3)
    assert (found.predict(scores).argmax(axis=1) == scores.argmax(axis=1)).all()


@pytest.mark.parametrize("cls", ANY)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_saved_and_loaded(cls, n_classes, tmp_path):
    """With its classes; a class keeps its type."""
    scores, labels = rows_of(300, n_classes=n_classes)
    names = np.array([f"class {k}" for k in range(n_classes)])
    fitted = cls().fit(scores, names[labels])
    lwcal.save(fitted, tmp_path / "c.json")
    read = lwcal.load(tmp_path / "c.json")
    assert read.classes_.tolist() == names.tolist()
    np.testing.assert_array_equal(read.predict(scores), fitted.predict(scores))


def test_classes_keep_their_types():
    """A number and a text, also after a file."""
    labels = np.array([1, "x", "y", 1], dtype=object)
    scores = np.vstack([np.eye(3) * 0.4 + 0.2, [0.5, 0.3, 0.2]])
    fitted = lwcal.Temperature().fit(scores, labels)
    read = lwcal.artifact.from_document(lwcal.artifact.to_document(fitted))
    assert fitted.classes_.tolist() == read.classes_.tolist() == [1, "x", "y"]


def test_a_model_with_scores_outside_the_range_is_refused():
    """Also where they could be divided by their sum."""
    scores, labels = rows_of(90, n_classes=3)
    model = FrozenEstimator(Replay((0, 1, 2)))
    calibrated = lwcal.CalibratedClassifier(model, lwcal.Temperature()).fit(scores, labels)
    with pytest.raises(InputError, match="outside"):
        calibrated.predict_proba(10.0 * scores)


def test_damaged_classes_are_refused():
    """Another number than the map has, none, no list, and a calibrator that has none."""
    scores, labels = rows_of(300)
    document = lwcal.artifact.to_document(lwcal.Temperature().fit(scores, labels))
    for classes in ([0, 1], None, "abcd", [[], 1, 2, 3]):
        with pytest.raises(ArtifactError, match="classes"):
            lwcal.artifact.from_document(document | {"classes": classes})
    with pytest.raises(ArtifactError, match="class probabilities"):
        lwcal.artifact.from_document(
            document | {"method": "isotonic", "parameters": {}, "diagnostics": {}}
        )


def test_frames_are_read_by_the_names_of_their_columns():
    """In any order, in the fit and afterwards."""
    scores, labels = rows_of(300)
    names = np.array(list("dbca"))
    frame = pd.DataFrame(scores, columns=names)
    fitted = lwcal.MatrixScaling().fit(frame, names[labels])
    assert fitted.classes_.tolist() == list("dbca")
    found = fitted.predict(frame[["a", "b", "c", "d"]])
    np.testing.assert_allclose(found, fitted.predict(scores), rtol=1e-12)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", ["p_{}", "{}_score"])
def test_what_all_names_share_does_not_matter(kind, name):
    """Columns are found by the classes in their names, in the fit and afterwards."""
    scores, labels = rows_of(300)
    names = np.array(["cat", "dog", "cow", "bird"])
    columns = {name.format(label): scores[:, k] for k, label in enumerate(names)}
    fitted = lwcal.MatrixScaling().fit(kind(columns), names[labels])
    assert fitted.classes_.tolist() == names.tolist()
    turned = kind(dict(reversed(columns.items())))
    np.testing.assert_allclose(fitted.predict(turned), fitted.predict(scores), rtol=1e-12)
    again = lwcal.MatrixScaling().fit(turned, names[labels])
    assert again.classes_.tolist() == names[::-1].tolist()
    judged = lwcal.metrics.class_nll(names[labels], turned)
    assert judged == pytest.approx(lwcal.metrics.class_nll(labels, scores))


def test_classes_that_are_one_are_refused():
    """With the reason, and what to do: 007 and 7 cannot be told apart."""
    scores, labels = rows_of(300)
    names = np.array(["007", "07", "7", "8"])
    match = r"'007' and '07': .*how a number is written.*one class\. Rename"
    with pytest.raises(InputError, match=match):
        lwcal.Temperature().fit(pd.DataFrame(scores, columns=names), names[labels])


def test_names_that_tell_some_of_the_classes_are_refused():
    """Their order may be another one; without names, it counts."""
    scores, labels = rows_of(300)
    fitted = lwcal.Identity().fit(scores, labels)
    frame = pd.DataFrame(scores, columns=["p1", "p2", "p3", "p4"])
    with pytest.raises(InputError, match=r"none of them of 0.*frame\.to_numpy\(\)"):
        fitted.predict(frame)
    with pytest.raises(InputError, match=r"the label 0, and no column.*frame\.to_numpy\(\)"):
        lwcal.Identity().fit(frame, labels)
    np.testing.assert_array_equal(fitted.predict(frame.to_numpy()), fitted.predict(scores))


def test_other_names_do_not_matter():
    """Columns that are not named after the classes keep their places."""
    scores, labels = rows_of(300)
    fitted = lwcal.Identity().fit(scores, labels)
    frame = pd.DataFrame(scores, columns=["w", "x", "y", "z"])
    np.testing.assert_array_equal(fitted.predict(frame), fitted.predict(scores))


@pytest.mark.parametrize("cls", ANY)
def test_a_calibrator_can_be_fitted_again(cls):
    """To one column after several."""
    scores, labels = rows_of(300)
    calibrator = cls().fit(scores, labels).fit(scores[:, 1], labels == 1)
    assert calibrator.predict([0.5]).shape == (1,)


def test_a_fit_that_fails_leaves_the_earlier_one():
    """Also where it was of several classes, and the other rows are of two."""
    scores, labels = rows_of(300)
    calibrator = lwcal.Temperature().fit(scores, labels)
    before = calibrator.predict(scores)
    with pytest.raises(InputError, match="no positive label"):
        calibrator.fit([0.2, 0.3], [0, 0])
    np.testing.assert_array_equal(calibrator.predict(scores), before)


def test_refused():
    """What would be misunderstood."""
    scores, labels = rows_of(300)
    fitted = lwcal.Temperature().fit(scores, labels)
    with pytest.raises(InputError, match="3 columns"):
        fitted.predict(scores[:, :3])
    with pytest.raises(InputError, match="shape"):
        fitted.predict(scores[:, 0])
    with pytest.raises(ParameterError, match="scale"):
        fitted.predict(scores, scale="percent")
    with pytest.raises(ParameterError, match="scale"):
        lwcal.Temperature().fit(scores, labels, scale="logit")
    with pytest.raises(ParameterError, match="pos_label"):
        lwcal.Temperature().fit(scores[:, 0], labels == 0, classes=[0, 1])
    with pytest.raises(InputError, match="4 classes"):
        lwcal.monitor(fitted, scores[:, 0])
    with pytest.raises(InputError, match=r"LWCal takes one column.*MatrixScaling"):
        lwcal.LWCal().fit(scores, labels)
    with pytest.raises(ParameterError, match="diagonal_sd"):
        lwcal.VectorScaling(diagonal_sd=0.0).fit(scores, labels)


def test_a_file_of_several_classes_is_not_applied_to_one_column(tmp_path):
    """The message says what it is, and which columns it needs."""
    scores, labels = rows_of(300)
    lwcal.save(lwcal.Temperature().fit(scores, labels), tmp_path / "c.json")
    with pytest.raises(ArtifactError, match=r"4 classes.*--score"):
        load_score_map(tmp_path / "c.json")


@pytest.mark.parametrize("cls", ANY)
def test_a_classifier_of_several_classes(cls):
    """One calibrator takes all classes together, and the loss of held-out rows falls."""
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {k}" for k in range(10)])[y]
    model = LogisticRegression(C=1000.0, max_iter=300)
    calibrated = lwcal.CalibratedClassifier(model, cls(), cv=3).fit(X[:1000], names[:1000])
    member = calibrated.calibrated_classifiers_[0]
    assert len(member.calibrators) == (10 if cls is lwcal.Identity else 1)
    found = calibrated.predict_proba(X[1000:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    raw = np.mean(
        [m.estimator.predict_proba(X[1000:]) for m in calibrated.calibrated_classifiers_], axis=0
    )
    assert log_loss(names[1000:], found) <= log_loss(names[1000:], raw) + 1e-9
