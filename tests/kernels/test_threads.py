"""Kernels may be called from several threads, and their results do not depend on it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lwcal.kernels import thread_limit

compiled = pytest.importorskip("lwcal.kernels.compiled")

ROWS = (1 << 18) * 3 + 5  # pieces for several threads of a kernel
LINES = 2_000
CALLERS = 8


def _jobs():
    rng = np.random.default_rng(0)
    scores = rng.random(ROWS)
    labels = (rng.random(ROWS) < scores).astype(np.uint8)
    ordered, knots = np.sort(scores), np.array([0.1, 0.9])
    negatives = rng.random(ROWS)
    lines, points = (scores[:LINES], negatives[:LINES], scores[-LINES:]), 9.0 * negatives[:700]
    groups, keys = rng.integers(0, 5, ROWS), rng.integers(0, ROWS, ROWS).astype(np.uint64)
    ends = np.arange(1, 201) * (ROWS // 200) + np.where(np.arange(200) == 199, ROWS % 200, 0)
    tables = [(ordered[start : start + 999], None, labels[:999]) for start in range(0, 99_900, 999)]
    return {
        "label_keys": lambda: compiled.label_keys(scores, labels)[0],
        "group_keys": lambda: compiled.group_keys(scores, labels, groups, 5)[0],
        # only the first counts of a group are written
        "pool_sorted_groups": lambda: compiled.pool_sorted_groups(np.sort(keys), ends)[4],
        "interpolate": lambda: compiled.interpolate(scores, knots, knots),
        "log_losses": lambda: compiled.log_losses(scores),
        "isotonic": lambda: compiled.isotonic(ordered, negatives, scores)[1],
        "loss_weighted_isotonics": lambda: np.concatenate(
            [y for *_, y in compiled.loss_weighted_isotonics(tables, 1.5, 1e-6, 1e-12, 0.05, 1.0)]
        ),
        "average_sigmoid": lambda: compiled.average_sigmoid(knots, knots, knots, scores),
        "average_entropy": lambda: compiled.average_entropy(*lines, points),
        "sigmoid_sums": lambda: compiled.sigmoid_sums(*lines[:2], points, points),
    }


@pytest.mark.parametrize("name", _jobs())
def test_results_are_the_same_from_any_number_of_threads(name):
    """Bit for bit, while eight threads call the kernel at once."""
    job = _jobs()[name]
    expected = np.array(job(), copy=True)
    with ThreadPoolExecutor(CALLERS) as pool:
        for found in pool.map(lambda _: job(), range(CALLERS)):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", _jobs())
def test_results_are_the_same_with_one_thread(name):
    """Bit for bit, beside those of eight."""
    found = []
    for threads in (1, 8):
        with thread_limit(threads):
            found.append(np.array(_jobs()[name](), copy=True))
    np.testing.assert_array_equal(*found)
