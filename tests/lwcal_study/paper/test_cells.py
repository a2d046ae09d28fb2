"""Cells: the paper's grid, run from seeds alone, stored at once."""

import json
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

import lwcal
from lwcal.errors import InputError
from lwcal_study.cell_store import CellStore
from lwcal_study.evaluation import METRICS
from lwcal_study.paper import reported, tasks
from lwcal_study.paper.appendix.methods import BASELINES, BLENDED
from lwcal_study.paper.cells import LEARNERS, Cell, corrupt, fit_and_score, make_learner, run_cell
from lwcal_study.paper.grid import all_cells, main_cells, robustness_cells
from lwcal_study.paper.methods import GATES, METHODS, ORACLE, TRIMS
from lwcal_study.runner import run_cells

SMALL = Cell("Iris Versicolor", "Random Forest", "asymmetric", 0.3, seed=1, trees=5)


@pytest.mark.parametrize("name", tasks.LOADERS)
def test_tasks_are_the_papers(name):
    """Same n, d and positive rate, from labels of 0 and 1."""
    task = tasks.load_task(name)
    described = reported.DATASETS[name]
    assert task.X.shape == (described["n"], described["d"])
    assert task.y.mean() == pytest.approx(described["positive_rate"], abs=6e-4)
    assert set(task.y) == {0, 1}


def test_a_task_that_is_not_the_papers_is_refused():
    """Data sets change between versions of their packages; this would be noticed."""
    task = tasks.load_task("Iris Versicolor")
    with pytest.raises(InputError, match=r"Iris Versicolor has n = 149, but 150"):
        tasks.check_description(task._replace(X=task.X[1:], y=task.y[1:]))


def test_the_grids_have_the_papers_size():
    """432 noisy cells and the clean rows; 324 for robustness, 108 of them shared."""
    assert len(main_cells()) == 540
    assert Counter(cell.rate for cell in main_cells())[0.0] == 108
    assert len(robustness_cells()) == 324
    assert len(all_cells()) == 540 + 216
    assert len({cell.name for cell in all_cells()}) == len(all_cells())


def test_base_learners_are_the_papers():
    """160 trees, leaves of 2, square-root features."""
    forest = make_learner(main_cells()[0])
    assert (forest.n_estimators, forest.min_samples_leaf, forest.max_features) == (160, 2, "sqrt")
    kinds = {
        type(make_learner(Cell("Iris Versicolor", name, "symmetric", 0.2, 0))) for name in LEARNERS
    }
    assert len(kinds) == 3


@pytest.mark.parametrize(
    ("kind", "of_positives", "of_negatives"), [("symmetric", 0.2, 0.2), ("asymmetric", 0.25, 0.07)]
)
def test_labels_are_flipped_at_the_stated_rates(kind, of_positives, of_negatives):
    """And independently for training and calibration."""
    cell = Cell("Digits High", "Random Forest", kind, 0.2, seed=0)
    y = np.repeat([0, 1], 50_000)
    flipped = corrupt(y, cell, "train") != y
    assert flipped[:50_000].mean() == pytest.approx(of_negatives, abs=0.005)
    assert flipped[50_000:].mean() == pytest.approx(of_positives, abs=0.005)
    again = corrupt(y, cell, "calibration") != y
    assert abs(np.corrcoef(flipped, again)[0, 1]) < 0.15


def test_clean_cells_flip_nothing():
    """Rate 0 keeps every label."""
    rows = fit_and_score(Cell("Iris Versicolor", "Random Forest", "symmetric", 0.0, 0, trees=5))
    np.testing.assert_array_equal(rows.y_noisy, rows.y_clean)


def test_a_cell_holds_every_method_and_metric():
    """With values that other libraries confirm."""
    stored, rows = run_cell(SMALL), fit_and_score(SMALL)
    by_method = {(row["family"], row["method"]): row for row in stored["results"]}
    paper = {**METHODS, **ORACLE, **GATES, **TRIMS}
    assert len(by_method) == len(paper) + len({**BASELINES, **BLENDED})
    raw = by_method["main", "Raw"]
    assert set(METRICS) <= set(raw)
    assert raw["brier"] == pytest.approx(brier_score_loss(rows.y_test, rows.test))
    assert raw["auc"] == pytest.approx(roc_auc_score(rows.y_test, rows.test))
    oracle = lwcal.Isotonic().fit(rows.calibration, rows.y_clean).predict(rows.test)
    assert by_method["oracle", "Oracle"]["ece"] == lwcal.metrics.ece(rows.y_test, oracle)
    gated = by_method["gate", "0.29 / 0.12"]["ece"]
    assert gated == by_method["main", "Gated-LWCal"]["ece"]


def test_a_cell_keeps_every_weight_that_made_it():
    """A weighted isotonic fit to the stored rows is LWCal's map."""
    stored, rows = run_cell(SMALL), fit_and_score(SMALL)
    kept = stored["calibration"]
    again = lwcal.Isotonic().fit(kept["score"], kept["y_noisy"], kept["weight"])
    found = lwcal.LWCal().fit(rows.calibration, rows.y_noisy)
    np.testing.assert_allclose(again.predict(rows.test), found.predict(rows.test), atol=1e-9)


def test_reliability_bins_add_up():
    """Rows and positives of all bins are those of the test set."""
    stored, rows = run_cell(SMALL), fit_and_score(SMALL)
    bins = np.array(stored["reliability"]["Raw"])
    assert bins[:, 1].sum() == len(rows.y_test)
    assert bins[:, 2].sum() == rows.y_test.sum()
    assert bins[:, 3].sum() == pytest.approx(rows.test.sum())


def test_results_do_not_depend_on_workers_or_order(tmp_path):
    """One process or two, forwards or backwards: the same files, byte for byte."""
    cells = [
        Cell("Iris Versicolor", "Random Forest", kind, rate, 0, trees=3)
        for kind in ("symmetric", "asymmetric")
        for rate in (0.1, 0.3)
    ]
    one, two = CellStore(tmp_path, "one"), CellStore(tmp_path, "two")
    run_cells(cells, one, run_cell, n_jobs=1)
    run_cells(cells[::-1], two, run_cell, n_jobs=2)
    for cell in cells:
        assert one.path(cell).read_bytes() == two.path(cell).read_bytes()


def test_stored_cells_are_not_run_again(tmp_path):
    """Only what is missing is run, and each is counted once."""
    store, finished = CellStore(tmp_path, "settings"), []
    marked = {"results": "from an earlier run"}
    store.save(SMALL, marked)
    other = Cell("Iris Versicolor", "Random Forest", "symmetric", 0.1, 0, trees=3)
    run_cells([SMALL, other], store, run_cell, n_jobs=1, on_finished=lambda: finished.append(1))
    assert store.load(SMALL) == marked
    assert len(finished) == 1
    assert json.loads(store.path(other).read_text())["cell"]["rate"] == 0.1
    assert store.missing([SMALL, other]) == []
