"""The calibrators of a classifier are saved without its model, which is recognised at loading."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

import lwcal
from lwcal.errors import ArtifactError, ParameterError, UncheckedModelWarning

GOLDEN = Path(__file__).parent / "classifier_golden.json"


def rows(k=2, labels=None):
    """Features and labels of k classes."""
    X, y = make_classification(
        400, n_features=5, n_informative=4, n_redundant=0, n_classes=k, random_state=0
    )
    return X, y if labels is None else np.asarray(labels)[y]


CASES = {
    "frozen": (LogisticRegression(), lwcal.Platt(), 2, ["no", "yes"], {}),
    "integers": (LinearSVC(), lwcal.Isotonic(), 2, [3, 7], {}),
    "booleans": (LogisticRegression(), lwcal.Platt(), 2, [False, True], {}),
    "objects": (LogisticRegression(), lwcal.Platt(), 2, np.array(["a", "b"], dtype=object), {}),
    "joint": (LogisticRegression(), lwcal.Temperature(), 3, ["a", "b", "c"], {}),
    "each class": (LogisticRegression(), lwcal.Platt(), 3, [5.0, 1.0, 25.0], {}),
    "frozen folds": (LogisticRegression(), lwcal.Platt(), 2, None, {"ensemble": True, "cv": 3}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_frozen_model_comes_back_with_equal_bits(tmp_path, case):
    """And equal classes; the model is passed as it is, or frozen."""
    model, calibrator, k, labels, options = case
    X, y = rows(k, labels)
    model.fit(X[:200], y[:200])
    fitted = lwcal.CalibratedClassifier(FrozenEstimator(model), calibrator, **options)
    fitted.fit(X[200:], y[200:])
    lwcal.save(fitted, tmp_path / "c.json")
    for passed in (model, FrozenEstimator(model)):
        loaded = lwcal.load_classifier(tmp_path / "c.json", passed)
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
        assert loaded.classes_.dtype == fitted.classes_.dtype
    again = loaded.fit(X[200:], y[200:])  # it is an estimator as any other
    assert again.predict_proba(X).shape == (400, k)


@pytest.fixture(scope="module")
def folds():
    """A classifier with a model for each of three folds."""
    X, y = rows()
    return lwcal.CalibratedClassifier(LogisticRegression(), lwcal.Platt(), cv=3).fit(X, y)


def test_the_models_of_folds_are_passed_in_order(tmp_path, folds):
    """Another order, another number or a single one is refused."""
    X, _ = rows()
    lwcal.save(folds, tmp_path / "c.json")
    models = [member.estimator for member in folds.calibrated_classifiers_]
    loaded = lwcal.load_classifier(tmp_path / "c.json", models)
    np.testing.assert_array_equal(loaded.predict_proba(X), folds.predict_proba(X))
    with pytest.raises(ArtifactError, match=r"model 0 to be the calibrated one: the score .* got"):
        lwcal.load_classifier(tmp_path / "c.json", models[::-1])
    with pytest.raises(ParameterError, match="expected 3 models, in the order"):
        lwcal.load_classifier(tmp_path / "c.json", models[:2])
    with pytest.raises(ParameterError, match="a list of 3 models, one for each fold"):
        lwcal.load_classifier(tmp_path / "c.json", models[0])


@pytest.fixture
def forest(tmp_path):
    """A saved classifier of a forest on named features."""
    X, y = rows()
    X = pd.DataFrame(X, columns=list("abcde"))
    model = RandomForestClassifier(5, random_state=0).fit(X[:200], y[:200])
    fitted = lwcal.CalibratedClassifier(FrozenEstimator(model), lwcal.Platt())
    lwcal.save(fitted.fit(X[200:], y[200:]), tmp_path / "c.json")
    assert lwcal.load_classifier(tmp_path / "c.json", model)
    return X, y, tmp_path / "c.json"


def test_another_model_is_refused(forest):
    """Of another type, with other features, fitted to other rows, or not fitted."""
    X, y, path = forest
    plain, renamed = RandomForestClassifier(5, random_state=0), X.set_axis([*"vwxyz"], axis=1)
    others = {
        "of type sklearn.RandomForest": LogisticRegression().fit(X, y),
        "number of features: 5, got 4": clone(plain).fit(X[list("abcd")], y),
        "features a, b, c, d, e, got v": clone(plain).fit(renamed, y),
        "score .* of made-up row": clone(plain).fit(X[1:200], y[1:200]),
        "number of features: 5, got none": plain,
    }
    for expected, other in others.items():
        with pytest.raises(ArtifactError, match=f"{expected}.*pass the model that was calibrated"):
            lwcal.load_classifier(path, other)


def boosters(X, y):
    """Native models of other libraries, fitted to these rows."""
    import lightgbm
    import xgboost

    yield lightgbm.train({"objective": "binary", "verbose": -1}, lightgbm.Dataset(X, y), 3)
    named = xgboost.DMatrix(pd.DataFrame(X, columns=list("abcde")), y)
    yield xgboost.train({"objective": "binary:logistic"}, named, 3)


def test_native_boosters_are_recognised(tmp_path):
    """By their margins; also if their classes have names."""
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcde"))
    for place, (model, other) in enumerate(
        zip(boosters(X[:200], y[:200]), boosters(X, y), strict=True)
    ):
        path = tmp_path / f"{place}.json"
        made, again = (lwcal.FittedModel(one, classes=["no", "yes"]) for one in (model, other))
        fitted = lwcal.CalibratedClassifier(made, lwcal.Platt())
        fitted.fit(frame, np.where(y, "yes", "no"))
        lwcal.save(fitted, path)
        loaded = lwcal.load_classifier(path, made)
        np.testing.assert_array_equal(loaded.predict_proba(frame), fitted.predict_proba(frame))
        with pytest.raises(ArtifactError, match="of made-up row"):
            lwcal.load_classifier(path, again)


def test_a_model_of_texts_is_accepted_with_a_warning(tmp_path):
    """Nobody can make up its rows."""
    _, y = rows()
    X = pd.DataFrame({"colour": np.where(y, "red", "blue")})
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(X, y)
    fitted = lwcal.CalibratedClassifier(FrozenEstimator(model), lwcal.Platt()).fit(X, y)
    lwcal.save(fitted, tmp_path / "c.json")
    with pytest.warns(UncheckedModelWarning, match="was not checked by its scores"):
        loaded = lwcal.load_classifier(tmp_path / "c.json", model)
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))


DAMAGES = {
    "format": ({"format": "lwcal-segments"}, "lwcal-classifier"),
    "newer": ({"schema_version": 99}, "a schema_version up to 1, got 99; upgrade lwcal"),
    "classes": ({"classes": ["a", "a"]}, "two or more different classes"),
    "other class type": ({"class_type": "float64", "classes": ["a", "b"]}, "different classes"),
    "class type": ({"class_type": "O,O"}, "a class_type of texts"),
    "listed classes": ({"classes": [[1], [2]]}, "classes to be a list of labels"),
    "no members": ({"members": []}, "members to be a list of values"),
    "frozen": ({"frozen": 1}, "frozen to be true or false"),
    "member": ({"members": [3]}, "a member"),
    "calibrators": ({"members": [{"calibrators": [], "model": {}}]}, "the model|calibrators"),
}


@pytest.mark.parametrize(("change", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_refused(forest, change, expected):
    """With a message that names the file."""
    X, y, path = forest
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ArtifactError, match=rf"c\.json: .*({expected})"):
        lwcal.load_classifier(path, RandomForestClassifier(5, random_state=0).fit(X[:200], y[:200]))


def test_scores_of_a_file_are_checked(forest):
    """Their number and their kind."""
    X, y, path = forest
    model = RandomForestClassifier(5, random_state=0).fit(X[:200], y[:200])
    document = json.loads(path.read_text())
    for scores in ([[0.5]], [["a"]] * 16, [[0.5]] * 15 + [[0.5, 0.5]], [[0.5, 0.5]] * 16):
        document["members"][0]["model"]["scores"] = scores
        path.write_text(json.dumps(document))
        with pytest.raises(ArtifactError):
            lwcal.load_classifier(path, model)


def test_other_readers_name_the_right_one(forest):
    """And what cannot be saved is refused."""
    with pytest.raises(ArtifactError, match=r"lwcal\.load_classifier reads them"):
        lwcal.load(forest[2])
    with pytest.raises(ArtifactError, match="a calibrator of lwcal"):
        lwcal.save(LogisticRegression(), forest[2], overwrite=True)


class Halves:
    """A model that needs no fit: the first feature decides."""

    classes_, n_features_in_ = np.array(["no", "yes"]), 2

    def fit(self, X, y):
        """Nothing to learn."""
        return self

    def get_params(self, deep=True):
        """No parameters."""
        return {}

    def predict_proba(self, X):
        """A quarter or three quarters."""
        p = np.where(np.asarray(X)[:, 0] > 0, 0.75, 0.25)
        return np.column_stack([1 - p, p])


def test_the_golden_file_is_read_by_every_later_version():
    """It holds what the first version that saved classifiers wrote, for a model of two answers."""
    loaded = lwcal.load_classifier(GOLDEN, Halves())
    found = loaded.predict_proba([[1.0, 0.0], [-1.0, 0.0]])[:, 1]
    np.testing.assert_array_equal(found, [0.9, 0.2])
    assert loaded.classes_.tolist() == ["no", "yes"]
