"""Cells with many classes: columns in order, trusted test labels, the same bits again."""

import numpy as np
import pytest

from lwcal.errors import InputError
from lwcal_study.classes.cells import LEARNERS, ClassCell, fit_and_score, noisy_labels
from lwcal_study.classes.tasks import load_class_task
from lwcal_study.real.cells import split
from lwcal_study.real.task import Loaded

SMALL = ClassCell("sk_wine_grower", "Random Forest", "next-high", seed=1, trees=5)


@pytest.mark.parametrize("learner", LEARNERS)
def test_cells_are_repeatable_probabilities(learner):
    """Each row adds up to 1; the same name gives the same bits; the model is of use."""
    cell = ClassCell("sk_digits", learner, "similar-low", seed=0, rows=600, trees=8)
    first, second = fit_and_score(cell), fit_and_score(cell)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    assert first.classes.tolist() == list(range(10))
    assert first.calibration.shape == first.test.shape == (150, 10)
    for scores in (first.calibration, first.test):
        np.testing.assert_allclose(scores.sum(axis=1), 1)
    assert (first.test.argmax(axis=1) == first.y_test).mean() > 0.6


def test_a_cell_has_trusted_test_labels_and_noisy_calibration_labels():
    """In the rows of the split, which is stratified."""
    y = load_class_task(SMALL.task).y_trusted
    train, calibration, test = split(y, SMALL.seed)
    found = fit_and_score(SMALL)
    np.testing.assert_array_equal(found.y_test, y[test])
    np.testing.assert_array_equal(found.y_clean, y[calibration])
    wrong = found.y_noisy != found.y_clean
    assert 0.2 < wrong.mean() < 0.6
    np.testing.assert_array_equal(found.y_noisy[wrong], (found.y_clean[wrong] + 1) % 3)
    for part in (train, calibration, test):
        np.testing.assert_allclose(
            np.bincount(y[part]) / len(part), np.bincount(y) / len(y), atol=0.02
        )


def test_a_class_that_the_learner_has_not_seen_has_a_column_of_zeros(monkeypatch):
    """So columns are classes for every learner. Training labels carry the noise."""
    seen = {}

    class Model:
        classes_ = np.array([0, 2])

        def fit(self, X, y):
            seen["y"] = y
            return self

        def predict_proba(self, X):
            return np.tile([0.25, 0.75], (len(X), 1))

    monkeypatch.setattr("lwcal_study.classes.cells.make_learner", lambda cell: Model())
    found = fit_and_score(SMALL)
    assert np.unique(found.calibration, axis=0).tolist() == [[0.25, 0.0, 0.75]]
    assert np.unique(found.test, axis=0).tolist() == [[0.25, 0.0, 0.75]]
    task = load_class_task(SMALL.task)
    train = split(task.y_trusted, SMALL.seed)[0]
    np.testing.assert_array_equal(seen["y"], noisy_labels(SMALL, task)[train])
    assert (seen["y"] != task.y_trusted[train]).any()


def test_natural_noise_is_the_tasks_own():
    """And a clean task has none."""
    y = np.array([0, 1, 2])
    cell = ClassCell("sk_digits", LEARNERS[0], "natural", 0)
    assert noisy_labels(cell, Loaded(np.zeros((3, 1)), y, y[::-1])).tolist() == [2, 1, 0]
    with pytest.raises(InputError, match="sk_digits") as refused:
        noisy_labels(cell, Loaded(np.zeros((3, 1)), y, None))
    assert "similar-low" in str(refused.value)


def test_cells_have_names_of_their_own():
    """The name has all coordinates."""
    changes = [
        {"task": "sk_digits"},
        {"learner": LEARNERS[1]},
        {"noise": "clean"},
        {"seed": 2},
        {"rows": 10},
        {"trees": 6},
    ]
    names = {ClassCell(**{**SMALL.__dict__, **change}).name for change in changes}
    assert len(names | {SMALL.name}) == len(changes) + 1
