"""One setting limits threads, and no result depends on it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

import lwcal
from lwcal.errors import ParameterError
from lwcal.kernels import threads
from lwcal.numerics import tabulate
from tests import untraced

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, min(CORES, threads.MOST)),
        ({"LWCAL_NUM_THREADS": "3"}, 3),
        ({"LWCAL_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"}, 1),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "4,2"}, min(CORES, threads.MOST)),
        ({"OMP_NUM_THREADS": "0"}, min(CORES, threads.MOST)),
    ],
)
def test_the_environment_sets_the_default(monkeypatch, variables, expected):
    """Our own variable first, then the one that joblib sets in its workers."""
    for name in ("LWCAL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert threads.default_limit() == expected


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_a_wrong_variable_is_refused(value):
    """By the command line too, with the exit code of wrong input."""
    code = "import lwcal.kernels"
    environment = {**untraced.environment(), "LWCAL_NUM_THREADS": value}
    finished = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert finished.returncode == 1
    assert "LWCAL_NUM_THREADS" in finished.stderr


def test_the_limit_holds_inside_the_block_and_in_its_thread_only():
    """Blocks can be nested, and end with an exception too."""
    before = threads.limit()
    with lwcal.thread_limit(3):
        with lwcal.thread_limit(1), ThreadPoolExecutor(1) as pool:
            assert (threads.limit(), pool.submit(threads.limit).result()) == (1, before)
        assert threads.limit() == 3
    assert threads.limit() == before


def test_the_limit_ends_with_an_exception_too():
    """As every setting of a block does."""
    before = threads.limit()
    with suppress(KeyError), lwcal.thread_limit(before + 1):
        raise KeyError
    assert threads.limit() == before


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "2", True, None])
def test_other_limits_are_refused(wrong):
    """A limit is a whole number above 0."""
    with pytest.raises(ParameterError, match="whole number"), lwcal.thread_limit(wrong):
        pass


def test_a_limit_of_one_starts_no_thread(monkeypatch):
    """Of Python; the compiled kernels count theirs."""
    rows = tabulate.SORT_IN_PARALLEL
    rng = np.random.default_rng(0)
    scores, labels = rng.random(rows), rng.integers(0, 2, rows)
    expected = lwcal.LWCal().fit(scores, labels).predict(scores)
    monkeypatch.setattr(tabulate, "Thread", None)
    with lwcal.thread_limit(1):
        found = lwcal.LWCal().fit(scores, labels).predict(scores)
    np.testing.assert_array_equal(found, expected)
