"""Cross-validation and search judge CalibratedClassifier on rows that no part of it has seen."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import lwcal
from lwcal.classifier import CalibratedClassifier


@pytest.fixture(scope="module")
def random_labels():
    """Return features that say nothing about the labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(1200, 4)), rng.integers(0, 2, 1200)


def tree_of(rows):
    """A tree that has learnt the labels of all rows by heart."""
    return DecisionTreeClassifier(random_state=0).fit(*rows)


@pytest.mark.parametrize(
    "construct",
    [
        lambda tree: CalibratedClassifier(tree, lwcal.Isotonic()),
        lambda tree: CalibratedClassifier(tree, lwcal.Isotonic(), cv=2),
        lambda tree: CalibratedClassifier(tree, lwcal.Isotonic(), ensemble=False),
        lambda tree: CalibratedClassifier(tree, lwcal.Auto(), encode_labels=True),
        lambda tree: make_pipeline(StandardScaler(), CalibratedClassifier(tree, lwcal.Beta())),
        lambda tree: CalibratedClassifier(make_pipeline(StandardScaler(), tree), lwcal.Beta()),
        lambda tree: GridSearchCV(CalibratedClassifier(tree, lwcal.Beta()), {"cv": [2, 3]}, cv=2),
    ],
)
def test_random_labels_score_at_chance_level(construct, random_labels):
    """Also with a model that was fitted to all rows, which it answers without error."""
    tree = tree_of(random_labels)
    assert tree.score(*random_labels) == 1.0
    scores = cross_val_score(construct(tree), *random_labels, cv=3, scoring="roc_auc")
    assert abs(scores.mean() - 0.5) < 0.05  # three standard errors of the AUC of 1200 rows


def test_calibrators_never_see_a_row_of_their_model(random_labels):
    """On random labels a fit without a leak can only say: one half."""
    X, y = random_labels
    calibrated = CalibratedClassifier(tree_of(random_labels), lwcal.Platt())
    probabilities = cross_val_predict(calibrated, X, y, cv=3, method="predict_proba")[:, 1]
    assert np.abs(probabilities - 0.5).max() < 0.1


def test_a_frozen_model_is_never_refitted(random_labels):
    """What it knows of the rows is the doing of whoever fitted and froze it."""
    X, y = random_labels
    frozen = FrozenEstimator(DecisionTreeClassifier(random_state=0).fit(X[:600], y[:600]))
    calibrated = CalibratedClassifier(frozen, lwcal.Isotonic())
    seen, unseen = (
        cross_val_score(calibrated, X[rows], y[rows], cv=3, scoring="roc_auc").mean()
        for rows in (slice(0, 600), slice(600, 1200))
    )
    assert seen == 1.0
    assert abs(unseen - 0.5) < 0.07


def test_search_compares_different_models(two_classes):
    """Every value of estimator__max_depth is fitted, although the model given is fitted already."""
    X, y = two_classes
    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    search = GridSearchCV(
        CalibratedClassifier(fitted, lwcal.Beta(), cv=3),
        {"estimator__max_depth": [1, 3, None]},
        scoring="neg_brier_score",
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) == 3
    depths = [m.estimator.get_depth() for m in search.best_estimator_.calibrated_classifiers_]
    assert search.best_params_ == {"estimator__max_depth": 3}
    assert depths == [3, 3, 3]
