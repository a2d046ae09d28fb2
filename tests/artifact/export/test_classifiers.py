"""Exported classifiers: one probability per class, and rows that sum to 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal.classifier import CalibratedModel
from lwcal.errors import ParameterError
from lwcal.maps import BetaMap, BlendMap, IdentityMap, SigmoidMap
from tests.artifact.export.targets import carrying
from tests.classifier.helpers import Replay
from tests.strategies import scores_of_any_kind
from tests.test_maps import maps

COLUMNS = ["score_a", "score b", 'score"c']


def classifier_of(fitted, classes):
    """Return a classifier with the given maps, whose scores are its features."""
    classifier = lwcal.CalibratedClassifier(Replay(classes))
    classifier.classes_ = np.array(classes)
    calibrators = [carrying(m) for m in fitted]
    member = CalibratedModel(Replay(classes), calibrators, classifier.classes_)
    classifier.calibrated_classifiers_ = [member]
    return classifier


matrices = npst.arrays(
    np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=scores_of_any_kind
)


@given(fitted=st.lists(maps, min_size=3, max_size=3), scores=matrices)
@settings(max_examples=15)
def test_three_classes(run, fitted, scores):
    """Values are divided by their sum; zeros fall back to scores, then to equal shares."""
    classifier = classifier_of(fitted, ("a", "b", "c"))
    scores = np.vstack([np.abs(scores), np.zeros(3), np.eye(3), np.full((1, 3), 1 + 1e-7)])
    expected = classifier.predict_proba(scores)
    # ratios of the smallest numbers depend on how they are rounded
    sums = np.column_stack([m(np.clip(s, 0, 1)) for m, s in zip(fitted, scores.T, strict=True)])
    firm = (sums.sum(axis=1) > 1e-90) | ((sums == 0).all(axis=1) & (scores.sum(axis=1) > 1e-90))
    values = run(classifier, scores.tolist(), COLUMNS)
    np.testing.assert_allclose(values[firm], expected[firm], rtol=0, atol=1e-12)


@given(fitted=maps, scores=st.lists(scores_of_any_kind.map(abs), min_size=1))
@settings(max_examples=15)
def test_two_classes(run, fitted, scores):
    """Both come from the score of the second; rounding in float32 is tolerated."""
    classifier = classifier_of([fitted], ("no", "yes"))
    scores = np.array([*scores, 0.0, 1.0, 1 + 1e-7, -1e-7])
    expected = classifier.predict_proba(np.column_stack([1 - scores, scores]))
    values = run(classifier, [(score,) for score in scores.tolist()], ["score"])
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rho", [1e-9, 2e-8, 1.0 - 2e-8, 1.0 - 1e-9])
def test_a_factor_close_to_one_counts(run, rho):
    """An engine that drops it would leave [0, 1]."""
    for fitted in (BlendMap(rho, IdentityMap()), BlendMap(rho, SigmoidMap(1.0 - 1e-9, -0.5))):
        scores = np.array([0.0, 0.3, 1.0])
        expected = fitted(scores)
        values = run(classifier_of([fitted], ("no", "yes")), [(s,) for s in scores], ["score"])
        np.testing.assert_allclose(values[:, 1], expected, rtol=0, atol=1e-12)


def test_a_sigmoid_that_vanishes_is_zero(run):
    """The scores are then used, as in Python."""
    fitted = [IdentityMap(), BetaMap(0.0, 0.0, -710.0), SigmoidMap(0.0, -1000.0)]
    values = run(classifier_of(fitted, (0, 1, 2)), np.eye(3).tolist(), COLUMNS)
    np.testing.assert_array_equal(values, np.eye(3))


def test_one_missing_score_leaves_the_row_empty(run):
    """Probabilities need all scores."""
    fitted = [IdentityMap()] * 3
    rows = [[0.2, None, 0.3], [0.2, float("nan"), 0.3], [0.2, 1.1, 0.3], [0.2, 0.5, 0.3]]
    values = run(classifier_of(fitted, (0, 1, 2)), rows, COLUMNS)
    assert np.isnan(values[:3]).all()
    np.testing.assert_allclose(values[3], [0.2, 0.5, 0.3], atol=1e-12)


def test_columns_are_named_after_the_classes():
    """Unless names are given."""
    classifier = classifier_of([IdentityMap()] * 3, ("a", "b", "c"))
    text = lwcal.export(classifier, "sql")
    assert '"score_b"' in text
    assert 'AS "calibrated_c"' in text
    assert "Classes: 'a', 'b', 'c'." in text
    with pytest.raises(ParameterError, match=r"3 column names.* 1"):
        lwcal.export(classifier, "sql", column="p")


def test_python_wants_a_score_for_every_class():
    """Not more, not fewer."""
    namespace = {}
    classifier = classifier_of([IdentityMap()] * 3, ("a", "b", "c"))
    exec(lwcal.export(classifier, "python"), namespace)
    with pytest.raises(ValueError, match="expected 3 scores, got 2"):
        namespace["calibrate"]([0.5, 0.5])


def test_only_one_model_can_be_exported():
    """Unfitted classifiers and ensembles are refused with a remedy."""
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 2
    ensemble = lwcal.CalibratedClassifier(LogisticRegression(), cv=3)
    with pytest.raises(NotFittedError):
        lwcal.export(ensemble, "sql")
    with pytest.raises(ParameterError, match=r"3 models.*ensemble=False"):
        lwcal.export(ensemble.fit(X, y), "sql")
    single = lwcal.CalibratedClassifier(LogisticRegression(), cv=3, ensemble=False).fit(X, y)
    assert 'AS "calibrated_1"' in lwcal.export(single, "sql")
