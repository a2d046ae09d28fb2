"""Cells of the sensitivity study: the right ones change, and by the stated choice only."""

import numpy as np
import pytest

from lwcal_study.paper.cells import Cell, corrupt, fit_and_score, make_learner
from lwcal_study.paper.methods import GATES, METHODS, ORACLE, TRIMS
from lwcal_study.paper.open_choices import FitChoices
from lwcal_study.paper.sensitivity import choices
from lwcal_study.paper.sensitivity.cells import VariedCell, run_varied, shared_cells, varied_cells
from lwcal_study.paper.sensitivity.choices import CLIPS, MODELS, REFERENCE, VARIANTS
from lwcal_study.paper.tasks import load_task

SMALL = Cell("Iris Versicolor", "Random Forest", "asymmetric", 0.3, seed=1, trees=5)


def test_names_are_unique():
    """Two cells never share a file."""
    names = [varied.name for varied in varied_cells()]
    assert len(set(names)) == len(names)
    assert not [name for name in names if "/" in name or " " in name]


@pytest.mark.parametrize("model", [name for name in MODELS if name != REFERENCE])
def test_a_choice_changes_the_cells_it_says(model):
    """Scores or labels of a changed cell differ from the reference; those of others do not."""
    choice = MODELS[model]
    candidates = [
        Cell(dataset, learner, kind, 0.3, 0, trees=8)
        for dataset in ("Iris Versicolor", "Synthetic Overlap")
        for learner in ("Extra Trees", "Gradient Boosting")
        for kind in ("symmetric", "asymmetric")
    ]
    changed = [cell for cell in candidates if choice.changes(cell)]
    same = [cell for cell in candidates if not choice.changes(cell)]
    for cell in changed[:1] + same[:1]:
        before, after = fit_and_score(cell), fit_and_score(cell, choice.choices)
        equal = np.array_equal(before.test, after.test) and np.array_equal(
            before.y_noisy, after.y_noisy
        )
        assert equal != choice.changes(cell), cell


def test_factors_set_the_rates():
    """Positives at 1.5, negatives at 0.5 times the stated rate; symmetric noise stays."""
    y = np.repeat([0, 1], 50_000)
    asked = FitChoices(positive_factor=1.5, negative_factor=0.5)
    flipped = corrupt(y, SMALL, "train", asked) != y
    assert flipped[50_000:].mean() == pytest.approx(0.45, abs=0.01)
    assert flipped[:50_000].mean() == pytest.approx(0.15, abs=0.01)
    even = Cell("Iris Versicolor", "Random Forest", "symmetric", 0.3, seed=1)
    np.testing.assert_array_equal(corrupt(y, even, "train", asked), corrupt(y, even, "train"))


def test_learners_take_their_choice():
    """Leaves of extra trees only, rounds of boosting only."""
    asked = FitChoices(extra_trees_leaf=5, boosting_rounds=200)
    found = {
        name: make_learner(Cell("Iris Versicolor", name, "symmetric", 0.2, 0), asked)
        for name in ("Random Forest", "Extra Trees", "Gradient Boosting")
    }
    assert found["Random Forest"].min_samples_leaf == 2
    assert found["Extra Trees"].min_samples_leaf == 5
    assert found["Gradient Boosting"].n_estimators == 200


def test_synthetic_tasks_are_drawn_again():
    """Other rows of the same size and base rate; real tasks stay."""
    first, again = load_task("Synthetic Overlap"), load_task("Synthetic Overlap", 100)
    assert first.X.shape == again.X.shape
    assert first.y.sum() == again.y.sum()
    assert not np.array_equal(first.X, again.X)
    real, same = load_task("Iris Versicolor"), load_task("Iris Versicolor", 100)
    np.testing.assert_array_equal(real.X, same.X)


def test_a_cell_holds_every_method_variant_and_clip():
    """The reference tries more variants than other models do."""
    found = run_varied(VariedCell(SMALL, REFERENCE))
    rows = {(row["variant"], row["method"]): row for row in found["results"]}
    paper = {*METHODS, *ORACLE, *GATES, *TRIMS}
    assert {method for variant, method in rows if variant == REFERENCE} == paper
    assert {variant for variant, _ in rows} == {REFERENCE, *VARIANTS}
    raw = rows[REFERENCE, "TrimCal-Iso"]
    assert raw["nll_by_clip"][0] == raw["nll"]
    assert raw["nll_by_clip"][-1] == raw["nll_strict"]
    assert len(raw["nll_by_clip"]) == len(CLIPS)
    other = run_varied(VariedCell(SMALL, "split 60%"))
    assert not {row["variant"] for row in other["results"]} & set(choices.ALONE)


def test_a_quick_run_has_every_choice():
    """Two tasks are enough to try each."""
    quick = varied_cells(quick=True)
    assert {varied.model for varied in quick} == set(MODELS)
    assert len({cell.dataset for cell in shared_cells(quick=True)}) == 2
