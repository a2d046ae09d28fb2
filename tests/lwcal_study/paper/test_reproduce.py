"""The command as a process: killed, resumed, on a cluster, and by the paper's own name."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lwcal_study import runner
from lwcal_study.cell_store import CellStore
from lwcal_study.paper import cells
from lwcal_study.paper.artifact import MANIFEST
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.fingerprint import fingerprint
from lwcal_study.paper.grid import main_cells
from tests import untraced
from tests.lwcal_study.paper.conftest import TREES, files_of, run_quickly

ROOT = Path(__file__).parents[3]
SCRIPT = f"""
import runpy
from lwcal_study.paper import grid
grid.QUICK_TREES = {TREES}
runpy.run_path("scripts/trimcal_eval.py", run_name="__main__")
"""
PDF = "papers/trimcal/report.pdf"
COMMAND = [sys.executable, "-c", SCRIPT, "--quick", "--skip-compile", "--jobs", "1"]
"""The paper's own command, with the small forests that all tests share, in one process."""


def test_a_killed_run_goes_on_and_ends_the_same(tmp_path, quick_run):
    """SIGKILL after some cells; the second run gives the bytes of an uninterrupted one.

    Most cells that the killed run did not reach are copied from the uninterrupted one, so that
    the second run fits twelve and not 150.
    """
    process = subprocess.Popen(
        [*COMMAND, "--out", tmp_path],
        cwd=ROOT,
        env=untraced.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(list(tmp_path.glob("cells/*/*.json"))) < 10:
        time.sleep(0.02)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    cells = {name for name in quick_run.contents if name.endswith(".json") and "cells/" in name}
    stored = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("cells/*/*.json")}
    assert len(cells) == 162
    assert stored < cells
    assert not (tmp_path / "data").exists()

    for name in sorted(cells - stored)[:-12]:
        (tmp_path / name).write_bytes(quick_run.contents[name])
    run_quickly(tmp_path, "--skip-compile")
    expected, found = dict(quick_run.contents), files_of(tmp_path)
    del expected[PDF], expected["lwcal-artifact.tar.gz"]  # the second run makes neither
    wanted, listed = (json.loads(files.pop(MANIFEST)) for files in (expected, found))
    del wanted["sha256"][PDF]
    assert listed == wanted
    assert found == expected


@pytest.fixture
def cluster():
    """A real Dask scheduler with two worker processes on loopback."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs="ERROR",
    ) as running:
        yield running


@pytest.mark.filterwarnings("ignore")  # a dying worker is noisy, and that is the point
def test_a_lost_worker_loses_no_cell(tmp_path, cluster, quick_run):
    """Kill one of two workers during the run: every cell is there once, with the same bytes."""
    wanted = [
        Cell(cell.dataset, cell.learner, cell.kind, cell.rate, cell.seed, trees=TREES)
        for cell in main_cells(quick=True)
        if cell.dataset == "Iris Versicolor"
    ]
    store, finished = CellStore(tmp_path, "dask"), []

    def kill_a_worker_once():
        finished.append(1)
        if len(finished) == 3:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    runner.run_cells(
        wanted,
        store,
        cells.run_cell,
        dask_scheduler=cluster.scheduler_address,
        on_finished=kill_a_worker_once,
    )
    assert len(finished) == len(wanted)
    local = CellStore(quick_run.folder / "cells", fingerprint())
    for cell in wanted:
        assert store.path(cell).read_bytes() == local.path(cell).read_bytes()


def test_the_learners_of_a_cell_do_not_spread_over_cores():
    """Cells run side by side, so each must stay on its own core."""
    assert cells.make_learner(main_cells()[0]).n_jobs == 1
