"""What a command that applies a map does without."""

import os
import subprocess
import sys

import pytest

from lwcal.cli.quick_arrays import BLAS_THREADS
from tests.cli.helpers import call

CODE = """
import gc, os, sys
from lwcal.cli.app import run
assert "numpy" not in sys.modules
assert run(["apply", "no.json", "no.csv", "--out", "new.csv"]) == 2
assert gc.get_freeze_count() > 0
from threadpoolctl import threadpool_info
found = [pool["num_threads"] for pool in threadpool_info() if pool["internal_api"] == "openblas"]
print(*found, os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.parametrize("wanted", [None, "2"])
def test_numpy_starts_no_threads_unless_somebody_wants_them(tmp_path, monkeypatch, wanted):
    """The environment is as before, also for what the command starts."""
    monkeypatch.delenv(BLAS_THREADS, raising=False)
    if wanted is not None:
        monkeypatch.setenv(BLAS_THREADS, wanted)
    program = [sys.executable, "-c", CODE]
    finished = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    *threads, after = finished.stdout.split()
    assert after == str(wanted)
    assert set(threads) <= {"1" if wanted is None else str(min(int(wanted), os.cpu_count()))}


def test_a_process_that_has_numpy_is_left_alone(monkeypatch):
    """It may need the threads, and its garbage is its own."""
    monkeypatch.setattr("lwcal.cli.quick_arrays._import_arrays", lambda: 1 / 0)
    assert call("apply no.json no.csv --out new.csv") == 2
