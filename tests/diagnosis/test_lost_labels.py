"""Labels of a class that are lost, and what looks like it."""

import numpy as np
import pytest
from scipy.special import expit, softmax

import lwcal
from lwcal.diagnosis.lost_labels import Lost, LostLabels, lost_faults_of_table, lost_labels
from lwcal.diagnosis.table_faults import NO_FAULTS
from lwcal.multiclass.class_rows import ClassRows
from lwcal.table import ScoreTable

CLASSES = ("a", "b", "c", "d")


def draw(seed, n=1500, spread=1.5):
    """Right scores of four classes, and true classes."""
    rng = np.random.default_rng(seed)
    centres = spread * rng.normal(size=(4, 3))
    truth = rng.integers(0, 4, n)
    x = centres[truth] + rng.normal(size=(n, 3))
    return softmax(x @ centres.T - (centres**2).sum(axis=1) / 2, axis=1), truth, rng


def two_classes(seed, n, spread=1.5):
    """Right scores of two classes, a quarter of the rows positive, and true classes."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.25).astype(int)
    x = rng.normal(size=n) + spread * truth
    return expit(spread * x - spread**2 / 2 + np.log(1 / 3)), truth, rng


def found(scores, labels):
    """Names of the classes that are noticed."""
    told = lost_labels(ClassRows.from_arrays(scores, np.take(CLASSES, labels), classes=CLASSES))
    return [] if told is None else [one.name for one in told.classes]


@pytest.mark.parametrize("share", [0.7, 1.0])
@pytest.mark.parametrize("to", ["one class", "the next best", "any class"])
def test_lost_labels_are_noticed(share, to):
    """Wherever they went; with no label left, too."""
    for seed in range(3):
        scores, truth, rng = draw(seed)
        lost = (truth == 2) & (rng.random(1500) < share)
        others = scores * (np.arange(4) != 2)
        instead = {
            "one class": np.zeros(1500, dtype=int),
            "the next best": others.argmax(axis=1),
            "any class": rng.choice([0, 1, 3], 1500),
        }[to]
        assert found(scores, np.where(lost, instead, truth)) == ["'c'"]


def test_other_labels_are_not_noticed():
    """Right ones, and those that are wrong in other ways."""
    for seed in range(5):
        scores, truth, rng = draw(seed)
        assert found(scores, truth) == []
        wrong = rng.random(1500) < 0.3
        assert found(scores, np.where(wrong, rng.integers(0, 4, 1500), truth)) == []
        assert found(scores, np.where(wrong, 0, truth)) == []  # a default class
        assert found(np.sqrt(scores) / np.sqrt(scores).sum(axis=1, keepdims=True), truth) == []


def test_a_class_that_was_more_frequent_in_training_is_not_lost():
    """Its odds are off; the highest scores have its label, if scores are sharp enough."""
    for seed in range(5):
        scores, truth, _ = draw(seed, n=6000, spread=3.0)
        kept = (truth != 2) | (np.arange(6000) % 4 == 0)
        assert found(scores[kept], truth[kept]) == []


def test_nothing_is_deployed_on_lost_labels():
    """A calibrator that follows them says the class is rare."""
    scores, truth, rng = draw(0)
    lost = (truth == 2) & (rng.random(1500) < 0.8)
    labels = np.take(CLASSES, np.where(lost, 0, truth))
    advised = lwcal.diagnose(scores, labels, classes=CLASSES, methods=[]).recommendation
    assert (advised.action, advised.calibrator) == ("audit", "identity")
    assert "rows of 'c' are labelled so. Are such labels lost" in advised.reason
    harmed = lwcal.Auto().fit(scores, labels).predict(scores)
    rows = np.arange(1500)
    assert np.log(harmed[rows, truth]).mean() < 1.2 * np.log(scores[rows, truth]).mean()


def test_classes_of_an_overconfident_model_are_not_lost():
    """Half of their rows go elsewhere, and as many come back."""
    for seed in range(5):
        scores, truth, rng = draw(seed)
        chance = rng.random(1500) < 0.6
        assert found(scores, np.where(chance, rng.permutation(truth), truth)) == []


@pytest.mark.parametrize("share", [0.7, 0.95])
@pytest.mark.parametrize("which", [0, 1])
def test_most_labels_of_one_of_two_classes_are_lost(share, which):
    """Positive or negative ones."""
    for seed in range(3):
        scores, truth, rng = two_classes(seed, n=4000)
        lost = (truth == which) & (rng.random(4000) < share)
        advised = lwcal.diagnose(scores, truth ^ lost, methods=[]).recommendation
        assert (advised.action, advised.calibrator) == ("audit", "identity")
        assert f"rows of the {('negative', 'positive')[which]} class are labelled" in advised.reason


def test_right_labels_of_two_classes_are_not_lost():
    """Nor where the model was trained on balanced rows, if its scores are sharp."""
    for seed in range(5):
        scores, truth, _ = two_classes(seed, n=4000)
        assert lost_faults_of_table(ScoreTable.from_arrays(scores, truth)) == NO_FAULTS
        sharp, truth, _ = two_classes(seed, n=20_000, spread=2.0)
        kept = (truth == 0) | (np.arange(20_000) % 10 == 0)
        assert lost_faults_of_table(ScoreTable.from_arrays(sharp[kept], truth[kept])) == NO_FAULTS


def test_checked_labels_settle_whether_labels_are_lost():
    """And the map that they allow is deployed."""
    scores, truth, rng = two_classes(0, n=4000)
    lost = (truth == 1) & (rng.random(4000) < 0.8)
    checked = np.where(rng.random(4000) < 0.1, truth.astype(float), np.nan)
    advised = lwcal.diagnose(scores, truth ^ lost, y_audited=checked, methods=[]).recommendation
    assert advised.action != "audit"


def test_known_noise_says_itself_which_labels_are_missing():
    """A matrix that was given is taken at its word."""
    scores, truth, rng = draw(0)
    lost = (truth == 2) & (rng.random(1500) < 0.8)
    matrix = np.eye(4)
    matrix[2] = [0.8, 0.0, 0.2, 0.0]
    model = lwcal.NoiseAware(noise_matrix=matrix)
    labels = np.where(lost, 0, truth)
    advised = lwcal.diagnose(scores, labels, calibrator=model, methods=[]).recommendation
    assert "labels lost" not in advised.reason


def test_the_classes_that_miss_most_are_named():
    """And the others counted."""
    classes = tuple(LostLabels(f"'class {k}'", 100.0 - k, 3.0) for k in range(6))
    told = Lost(classes).sentence
    assert "only 3 of 100 rows of 'class 0', 3 of 99 rows of 'class 1', 3 of 98" in told
    assert "and few of 3 more classes are labelled so" in told
    assert Lost(classes).wrong == sum(97 - k for k in range(6))
