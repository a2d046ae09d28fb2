"""Keys of rows: their values decide, and nothing else."""

import numpy as np
from scipy.stats import kstest

from lwcal.numerics.row_keys import row_keys, sample_keys, starts_of_equal


def test_equal_rows_have_equal_keys_in_any_order():
    """A zero has no sign."""
    rng = np.random.default_rng(0)
    rows = rng.random((500, 3)).round(1)
    order = rng.permutation(500)
    np.testing.assert_array_equal(row_keys(rows)[order], row_keys(rows[order]))
    assert row_keys(np.array([[0.0, 1.0]])) == row_keys(np.array([[-0.0, 1.0]]))
    distinct = np.unique(rows, axis=0)
    assert len(np.unique(row_keys(distinct))) == len(distinct)


def test_keys_of_a_sample_are_uniform_also_for_round_numbers():
    """Otherwise rows of few digits would be drawn more often than others."""
    steps = np.arange(0, 65) / 64
    first, second = (grid.ravel() for grid in np.meshgrid(steps, steps))
    for label in (0, 1):
        labels = np.full(len(first), label)
        keys = sample_keys(np.column_stack([first, second]), labels)
        assert kstest(keys / 2.0**64, "uniform").pvalue > 0.01
        assert kstest(keys[first == 0.5] / 2.0**64, "uniform").pvalue > 0.01


def test_the_label_belongs_to_the_row():
    """Equal scores with other labels are drawn apart."""
    scores = np.full((2, 2), 0.5)
    labels = np.array([0, 1])
    assert len(np.unique(sample_keys(scores, labels))) == 2
    np.testing.assert_array_equal(starts_of_equal(scores, labels), [0, 1])
