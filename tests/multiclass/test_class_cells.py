"""Cells of scores, by label: counted alike before and later, and read back from files."""

import json

import numpy as np
import pytest

from lwcal.errors import ArtifactError
from lwcal.multiclass.class_cells import ClassCells, class_cells_from_dict

RATES = (0.2, 0.3, 0.5)


@pytest.fixture(scope="module")
def rows():
    """Probabilities and labels."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 400)
    return p, rng.integers(3, size=400)


def test_rows_of_the_fit_fall_into_their_cells(rows):
    """The same rows have the same counts, and weights are frequencies."""
    p, labels = rows
    cells = ClassCells.of(p, labels, np.ones(400), RATES)
    np.testing.assert_array_equal(
        cells.weights_of(p, np.ones(400), RATES), cells.counts.sum(axis=1)
    )
    np.testing.assert_array_equal(cells.counts.sum(axis=0), np.bincount(labels))
    twice = ClassCells.of(p, labels, np.full(400, 2.0), RATES)
    repeated = ClassCells.of(np.repeat(p, 2, axis=0), np.repeat(labels, 2), np.ones(800), RATES)
    np.testing.assert_array_equal(twice.counts, repeated.counts)
    np.testing.assert_array_equal(twice.edges, repeated.edges)


def test_base_rates_move_no_row(rows):
    """Probabilities for other base rates, with these, fall into the same cells."""
    p, labels = rows
    cells = ClassCells.of(p, labels, np.ones(400), RATES)
    now = np.array([0.7, 0.2, 0.1])
    other = p * now / RATES
    other /= other.sum(axis=1, keepdims=True)
    # a row that lies on an edge may fall to either side
    moved = cells.weights_of(other, np.ones(400), tuple(now)) - cells.counts.sum(axis=1)
    assert np.abs(moved).sum() <= 2 * cells.edges.size


def test_files_hold_the_same(rows):
    """Also weights that are not whole numbers."""
    p, labels = rows
    for weight in (1.0, 0.3):
        cells = ClassCells.of(p, labels, np.full(400, weight), RATES)
        read = class_cells_from_dict(json.loads(json.dumps(cells.to_dict())), 3)
        np.testing.assert_array_equal(read.counts, cells.counts)
        np.testing.assert_array_equal(read.edges, cells.edges)


GOOD = ClassCells.of(np.eye(3), np.arange(3), np.ones(3), RATES).to_dict()


@pytest.mark.parametrize(
    "damaged",
    [
        "cells",
        {},
        {**GOOD, "edges": GOOD["edges"][:2]},
        {**GOOD, "edges": [[0.5, 0.2, *row[2:]] for row in GOOD["edges"]]},
        {**GOOD, "edges": [[-1.0, *row[1:]] for row in GOOD["edges"]]},
        {**GOOD, "edges": [[1.5] * len(row) for row in GOOD["edges"]]},
        {**GOOD, "counts": GOOD["counts"][:-1]},
        {**GOOD, "counts": [*GOOD["counts"][:-1], [1]]},
        {**GOOD, "counts": [["x"] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "counts": [[True] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "counts": [[-1] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "counts": [[0] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "counts": [[float("inf")] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "counts": [[10**400] * 3 for _ in GOOD["counts"]]},
        {**GOOD, "edges": []},
    ],
)
def test_damaged_cells_are_refused(damaged):
    """What no fit has written."""
    with pytest.raises(ArtifactError, match="cells of the reference"):
        class_cells_from_dict(damaged, 3)
