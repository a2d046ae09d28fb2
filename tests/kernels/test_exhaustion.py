"""Without threads or memory left, kernels raise an exception or are slower: no crash."""

import subprocess
import sys

import numpy as np
import pytest

from lwcal.numerics import tabulate
from tests import untraced

PROGRAM = """
import resource
import numpy as np
from lwcal.kernels import compiled

n = (1 << 18) * 4  # pieces for several threads
scores = np.linspace(0.0, 1.0, n)
ones = np.ones(n)
rising, other = np.arange(n) / n, 1.0 - np.arange(n) / n  # as many blocks as rows
knots = np.array([0.25, 0.75])
jobs = {
    "interpolate": lambda: compiled.interpolate(scores, knots, knots),
    "isotonic": lambda: compiled.isotonic(scores, other, rising)[1],
    "label_keys": lambda: compiled.pool_sorted_keys(np.arange(n, dtype=np.uint64) * 2)[2],
}
expected = {name: float(job().sum()) for name, job in jobs.items()}


def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


hard = resource.getrlimit(resource.RLIMIT_AS)[1]
for spare in range(0, 160, 10):  # in MB: a thread needs 8 for its stack, an array of n numbers too
    for name, job in jobs.items():
        resource.setrlimit(resource.RLIMIT_AS, (used() + spare * 1_000_000, hard))
        try:
            found, outcome = float(job().sum()), "done"
        except MemoryError:
            outcome = "MemoryError"
        except RuntimeError:
            outcome = "RuntimeError"
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        assert outcome != "done" or found == expected[name], name
        print(name, outcome)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_exhausted_memory_is_an_exception():
    """With too little room for a thread, for its work, and for the result."""
    pytest.importorskip("lwcal.kernels.compiled")
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=untraced.environment(),
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    outcomes = {tuple(line.split()) for line in finished.stdout.splitlines()}
    assert {(name, "done") for name in ("interpolate", "isotonic", "label_keys")} <= outcomes
    assert ("isotonic", "MemoryError") in outcomes


def test_rows_are_pooled_without_a_second_thread(backend, monkeypatch):
    """In the calling thread, if the system starts no other."""
    rng = np.random.default_rng(0)
    rows = tabulate.SORT_IN_PARALLEL + 1
    scores, labels = rng.random(rows), rng.integers(0, 2, rows).astype(np.uint8)
    expected = tabulate.tabulate(scores, labels)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(tabulate.Thread, "start", refuse)
    for found, column in zip(tabulate.tabulate(scores, labels), expected, strict=True):
        np.testing.assert_array_equal(found, column)
