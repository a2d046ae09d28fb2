"""Noise between classes: at the stated rates, to the stated classes, from names alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lwcal_study.classes.noise import (
    BY_CLASS,
    CLASS_NOISES,
    DEFAULT,
    NEAREST,
    NEXT,
    SIMILAR,
    SUITE_NOISES,
    UNIFORM,
    corrupt,
    drawn_labels,
    likely_others,
    similar_classes,
    transition,
)
from lwcal_study.real.noise import HIGHEST, INSTANCE

INJECTED = {name: noise for name, noise in CLASS_NOISES.items() if noise.rate}
BY_MATRIX = {name: noise for name, noise in INJECTED.items() if noise.kind != INSTANCE}
PLACES = np.array([0.0, 1.0, 3.0, 6.0, 10.0])


@pytest.fixture(scope="module")
def large():
    """Five classes of unequal size on a line, with a second feature that says nothing."""
    random = np.random.default_rng(0)
    y = random.choice(5, size=30_000, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    X = np.column_stack([PLACES[y] + random.normal(size=len(y)), random.normal(size=len(y))])
    return X, y


@pytest.mark.parametrize("name", INJECTED)
def test_labels_are_wrong_at_the_stated_rate(name, large):
    """As a share of the rows, of other rows than the default, or as the mean of the classes."""
    X, y = large
    noise = INJECTED[name]
    noisy = corrupt(X, y, noise, "a cell")
    wrong = noisy != y
    by_class = np.array([wrong[y == k].mean() for k in range(5)])
    found = by_class.mean() if noise.kind == BY_CLASS else wrong.mean()
    if noise.kind == DEFAULT:
        found = wrong[y != 0].mean()
    assert found == pytest.approx(noise.rate, abs=0.012)
    assert set(noisy) <= set(range(5))
    assert all(np.bincount(noisy[y == k]).argmax() == k for k in range(5))
    np.testing.assert_array_equal(noisy, corrupt(X, y, noise, "a cell"))
    assert (noisy != corrupt(X, y, noise, "another cell")).any()


@pytest.mark.parametrize("name", BY_MATRIX)
@given(n_classes=st.integers(3, 26), seed=st.integers(0, 100))
@settings(max_examples=10, deadline=None)
def test_a_label_is_more_often_right_than_any_wrong_one(name, n_classes, seed):
    """Rows of the matrix are probabilities, and the diagonal is the largest of its row."""
    X = np.random.default_rng(seed).normal(size=(3 * n_classes, 2))
    y = np.tile(np.arange(n_classes), 3)
    matrix = transition(X, y, BY_MATRIX[name], f"cell {seed}")
    assert matrix.shape == (n_classes, n_classes)
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    others = np.where(np.eye(n_classes, dtype=bool), 0, matrix)
    assert (np.diag(matrix) > others.max(axis=1)).all()


def test_wrong_labels_go_where_the_kind_says(large):
    """Anywhere, to the next class, or to near ones."""
    X, y = large
    away = ~np.eye(5, dtype=bool)
    uniform = transition(X, y, CLASS_NOISES["uniform-high"], "a cell")
    np.testing.assert_allclose(uniform[away], 0.1)
    following = transition(X, y, CLASS_NOISES["next-high"], "a cell")
    np.testing.assert_allclose(following[range(5), [1, 2, 3, 4, 0]], 0.4)
    rates = 1 - np.diag(transition(X, y, CLASS_NOISES["class-high"], "a cell"))
    np.testing.assert_allclose(np.sort(rates), [0.2, 0.3, 0.4, 0.5, 0.6])
    default = transition(X, y, CLASS_NOISES["default-high"], "a cell")
    np.testing.assert_allclose(default[1:, 0], 0.4)
    np.testing.assert_allclose(np.diag(default), [1, 0.6, 0.6, 0.6, 0.6])
    similar = transition(X, y, CLASS_NOISES["similar-high"], "a cell")
    assert ((similar > 0).sum(axis=1) == NEAREST + 1).all()
    assert similar[0, 1] > similar[0, 2] > similar[0, 3] > similar[0, 4] == 0
    rates = 1 - np.diag(similar)
    assert rates.max() <= HIGHEST
    assert rates[1] > rates[4]  # close to two others; far from all


def test_three_classes_are_all_similar():
    """There are fewer others than could be drawn from."""
    closeness, goals = similar_classes(np.eye(3), np.arange(3))
    np.testing.assert_allclose(goals, (1 - np.eye(3)) / 2)
    assert np.ptp(closeness) == pytest.approx(0, abs=1e-12)


def test_labels_are_drawn_from_the_matrix():
    """Also a row whose probabilities add up to a little less than 1."""
    matrix = np.array([[0.1, 0.2, 0.7 - 1e-12], [0, 1, 0], [0.5, 0, 0.5]])
    drawn = drawn_labels(matrix, np.repeat([0, 1, 2], 20_000), np.random.default_rng(0))
    shares = np.array([np.bincount(part, minlength=3) / 20_000 for part in np.split(drawn, 3)])
    np.testing.assert_allclose(shares, matrix, atol=0.015)


def test_noise_by_instance_names_a_class_near_the_row(large):
    """Never the own class, and one beside it on the line; rows along one direction flip more."""
    X, y = large
    others = likely_others(X, y, np.random.default_rng(0))
    assert (others != y).all()
    assert (np.abs(others - y) == 1).mean() > 0.95
    noisy = corrupt(X, y, CLASS_NOISES["instance-high"], "a cell")
    wrong = noisy != y
    assert max(abs(np.corrcoef(X[:, k], wrong)[0, 1]) for k in range(2)) > 0.1


def test_clean_labels_stay_and_all_kinds_are_there(large):
    """Five kinds, two strengths."""
    X, y = large
    np.testing.assert_array_equal(corrupt(X, y, CLASS_NOISES["clean"], "a cell"), y)
    kinds = {(INJECTED[n].kind, INJECTED[n].strength) for n in SUITE_NOISES if n in INJECTED}
    expected = (UNIFORM, NEXT, BY_CLASS, SIMILAR, INSTANCE)
    assert kinds == {(kind, strength) for kind in expected for strength in ("low", "high")}
    assert {noise.kind for noise in INJECTED.values()} == {*expected, DEFAULT}
