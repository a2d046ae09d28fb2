"""Cells on real tasks: noise at the stated rates, from names alone."""

import numpy as np
import pytest

from lwcal.errors import InputError
from lwcal_study.real.cells import LEARNERS, RealCell, fit_and_score, limited, noisy_labels, split
from lwcal_study.real.noise import HIGHEST, INSTANCE, NOISES, corrupt, flip_probabilities
from lwcal_study.real.task import Loaded
from lwcal_study.real.tasks import load_real_task

SMALL = RealCell("sk_breast_cancer", "Random Forest", "missed-high", seed=1, trees=5)
INJECTED = [name for name in NOISES if name != "natural"]


@pytest.fixture(scope="module")
def large():
    """Features of unequal scale, one of them constant, and labels of two classes."""
    X = np.random.default_rng(0).normal(size=(40_000, 4)) * [1, 100, 0.01, 0]
    return X, np.tile([0, 1], 20_000)


@pytest.mark.parametrize("name", INJECTED)
def test_labels_are_flipped_at_the_stated_rates(name, large):
    """In each class, or for instance-dependent noise on average."""
    X, y = large
    noise = NOISES[name]
    flipped = corrupt(X, y, noise, "a cell") != y
    assert flipped[y == 0].mean() == pytest.approx(noise.of_negatives, abs=0.01)
    assert flipped[y == 1].mean() == pytest.approx(noise.of_positives, abs=0.01)


def test_instance_dependent_noise_depends_on_the_features(large):
    """Chances grow along one direction, and no row is more often wrong than right."""
    X, _ = large
    chances = flip_probabilities(X, 0.3, np.random.default_rng(3))
    assert chances.mean() == pytest.approx(0.3, abs=1e-9)
    assert chances.max() <= HIGHEST
    assert chances.std() > 0.1
    standard = X[:, :3] / X[:, :3].std(axis=0)
    line = np.linalg.lstsq(standard - standard.mean(axis=0), logit(chances), rcond=None)[0]
    fitted = (standard - standard.mean(axis=0)) @ line
    assert np.corrcoef(fitted, logit(chances))[0, 1] > 0.999


def logit(chances):
    """Log-odds within the range that chances have, about their mean."""
    odds = np.log(chances / (HIGHEST - chances))
    return odds - odds.mean()


def test_both_strengths_of_every_kind_are_there():
    """Four injected kinds, two strengths."""
    kinds = {(noise.kind, noise.strength) for noise in NOISES.values()}
    injected = ("symmetric", "missed positives", "false alarms", INSTANCE)
    assert {(kind, s) for kind in injected for s in ("low", "high")} < kinds


@pytest.mark.parametrize("learner", LEARNERS)
def test_cells_are_repeatable(learner):
    """The same name gives the same scores and labels, bit for bit."""
    cell = RealCell("sk_breast_cancer", learner, "instance-low", seed=0, trees=8)
    first, second = fit_and_score(cell), fit_and_score(cell)
    for name in ("calibration", "y_clean", "y_noisy", "test", "y_test"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_a_cell_is_split_in_half_and_quarters():
    """Stratified, without a row in two parts; the test labels are the trusted ones."""
    y = load_real_task(SMALL.task).y_trusted
    parts = split(y, SMALL.seed)
    assert np.sort(np.concatenate(parts)).tolist() == list(range(len(y)))
    assert [len(part) / len(y) for part in parts] == pytest.approx([0.5, 0.25, 0.25], abs=0.01)
    assert [y[part].mean() for part in parts] == pytest.approx([y.mean()] * 3, abs=0.01)
    rows = fit_and_score(SMALL)
    np.testing.assert_array_equal(rows.y_test, y[parts[2]])
    np.testing.assert_array_equal(rows.y_clean, y[parts[1]])
    assert (rows.y_noisy != rows.y_clean).any()


def test_training_labels_carry_the_noise_too(monkeypatch):
    """The model is fitted to the same kind of labels as the calibrators."""
    seen = {}

    class Model:
        def fit(self, X, y):
            seen["y"] = y
            return self

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    monkeypatch.setattr("lwcal_study.real.cells.make_learner", lambda cell: Model())
    fit_and_score(SMALL)
    task = load_real_task(SMALL.task)
    train = split(task.y_trusted, SMALL.seed)[0]
    np.testing.assert_array_equal(seen["y"], noisy_labels(SMALL, task)[train])
    assert (seen["y"] != task.y_trusted[train]).mean() > 0.1


def test_large_tasks_are_drawn_from():
    """To the stated number of rows, with the classes in proportion and the labels in step."""
    y = np.tile([0, 0, 0, 1], 100)
    task = Loaded(np.arange(400.0)[:, None], y, y.copy())
    kept = limited(task, RealCell("any", LEARNERS[0], "natural", 0, rows=100))
    assert len(kept.X) == 100
    assert kept.y_trusted.mean() == 0.25
    np.testing.assert_array_equal(y[kept.X[:, 0].astype(int)], kept.y_noisy)
    assert limited(task, RealCell("any", LEARNERS[0], "natural", 0)) is task


def test_natural_noise_is_the_tasks_own():
    """And a clean task has none."""
    y = np.array([0, 1, 1])
    cell = RealCell("sk_breast_cancer", LEARNERS[0], "natural", 0)
    assert noisy_labels(cell, Loaded(np.zeros((3, 1)), y, 1 - y)).tolist() == [1, 0, 0]
    with pytest.raises(InputError, match="sk_breast_cancer"):
        noisy_labels(cell, Loaded(np.zeros((3, 1)), y, None))
