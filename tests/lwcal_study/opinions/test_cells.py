"""Cells with several opinions, and the tasks that people rated."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from lwcal_study.leaderboard import grid
from lwcal_study.opinions import cells
from lwcal_study.opinions.cells import (
    HARD,
    INDEPENDENT,
    RATED_TASKS,
    RATERS,
    OpinionCell,
    fit_and_score,
    simulated_tasks,
)
from lwcal_study.opinions.nodules import same_nodule
from lwcal_study.real.packages import FOLDERS


@pytest.mark.parametrize("name", RATED_TASKS)
def test_a_rated_task_is_fit_for_use(name):
    """Enough rows, three opinions each, which are noisy but not noise."""
    task = RATED_TASKS[name]
    if find_spec(FOLDERS[task.package]) is None:
        pytest.skip(f"{task.package} is not installed: make setup")
    X, y, opinions = task.load()
    assert np.isfinite(X).all()
    assert len(X) == len(y) == len(opinions) >= 500
    assert opinions.shape[1] == 3
    assert set(np.unique(opinions)) <= set(np.unique(y)) == set(range(y.max() + 1))
    assert np.bincount(y).min() >= 100
    wrong = (opinions != y[:, None]).mean(axis=0)
    assert (wrong > 0.05).all()
    assert (wrong < 0.5).all()
    # nobody is named: each column has the labels of people drawn by chance
    assert np.ptp(wrong) < 0.05


def test_trusted_labels_do_not_contain_the_opinions():
    """Of words, the judges are seven others; ten raters in all."""
    task = RATED_TASKS["raters_word_positive"]
    ratings = task.build().ratings
    assert ratings.shape[1] == 10
    drawn = np.random.default_rng(0).permuted(ratings, axis=1)
    loaded = task.load()
    np.testing.assert_array_equal(loaded.y_noisy, drawn[:, :3] > 0)
    np.testing.assert_array_equal(loaded.y_trusted, drawn[:, 3:].mean(axis=1) > 0)
    assert not RATED_TASKS["raters_nodule_three"].apart


def test_outlines_far_apart_are_different_nodules():
    """Complete linkage: the largest distance in a nodule counts, not a chain of small ones."""
    chain = pd.DataFrame({"x": [0.0, 6.0, 12.0, 100.0], "y": 0.0, "z": 0.0})
    found = same_nodule(chain)
    assert found.nunique() == 3
    assert same_nodule(chain[:1]).tolist() == [1]


def test_only_judged_tasks_with_few_classes_are_simulated():
    """Two classes, or 5 to 10. Every cell once, and each kind on every task."""
    names = simulated_tasks()
    assert {cells.n_classes(name) for name in names} <= {2, *range(5, 11)}
    assert sum(cells.n_classes(name) > 2 for name in names) >= 5
    found = grid.suite_cells("opinions")
    assert len({cell.name for cell in found}) == len(found)
    for kind in (INDEPENDENT, HARD):
        assert {cell.task for cell in found if cell.noise == kind} == set(names)
        parts = {grid.coordinates(cell)["part"] for cell in found if cell.noise == kind}
        assert parts == {"judged"}


@pytest.mark.parametrize("kind", [INDEPENDENT, HARD])
def test_a_cell_is_the_same_again_and_its_rates_are_true(kind):
    """Observed error rates are those that are said to be true."""
    cell = OpinionCell("wool_jtrain98", "Logistic Regression", kind, 0, rows=4000)
    rows, again = fit_and_score(cell), fit_and_score(cell)
    for one, other in zip(rows, again, strict=True):
        np.testing.assert_array_equal(one, other)
    n = len(rows.y_clean)
    assert sorted(rows.picked) == list(range(n))
    wrong = rows.opinions != rows.y_clean[:, None]
    for k in (0, 1):
        of_class = rows.y_clean == k
        error = 4 * np.sqrt(0.25 / of_class.sum())
        np.testing.assert_allclose(wrong[of_class].mean(axis=0), rows.rates[:, k], atol=error)


def test_people_have_no_known_rates():
    """Nobody knows how often they are wrong."""
    cell = OpinionCell("raters_word_strong", "Logistic Regression", RATERS, 0, rows=400)
    rows = fit_and_score(cell)
    assert rows.rates is None
    assert rows.matrices is None
    assert rows.opinions.shape == (len(rows.y_clean), 3)


def test_a_missing_package_leaves_its_tasks_out(monkeypatch):
    """The others are run."""
    monkeypatch.setattr(cells, "find_spec", lambda name: None if name == "pylidc" else object())
    names = [task.name for task in cells.rated_tasks()]
    assert names
    assert not any("nodule" in name for name in names)
