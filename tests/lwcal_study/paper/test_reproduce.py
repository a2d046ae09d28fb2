"""The command as a process: killed, resumed, on a cluster, and by the paper's own name."""

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
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.grid import main_cells
from tests import untraced

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "scripts/trimcal_eval.py", "--quick", "--skip-compile"]


def deterministic_files(folder):
    """Contents of all the artefact's files, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != "cells"
    }


def test_a_killed_run_goes_on_and_ends_the_same(tmp_path):
    """SIGKILL after some cells; the second run gives the bytes of an uninterrupted one."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    run = {"cwd": ROOT, "env": untraced.environment()}
    subprocess.run([*COMMAND, "--out", whole], **run, check=True, capture_output=True)

    process = subprocess.Popen(
        [*COMMAND, "--out", broken],
        **run,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(list(broken.glob("cells/*/*.json"))) < 10:
        time.sleep(0.02)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    stored = len(list(broken.glob("cells/*/*.json")))
    assert stored < 162
    assert not (broken / "data").exists()

    subprocess.run([*COMMAND, "--out", broken], **run, check=True, capture_output=True)
    assert deterministic_files(broken) == deterministic_files(whole)


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
def test_a_lost_worker_loses_no_cell(tmp_path, cluster):
    """Kill one of two workers during the run: every cell is there once, with the same bytes."""
    wanted = [
        Cell(cell.dataset, cell.learner, cell.kind, cell.rate, cell.seed, trees=60)
        for cell in main_cells(quick=True)
        if cell.dataset in ("Iris Versicolor", "Digits High")
    ]
    store, local, finished = CellStore(tmp_path, "dask"), CellStore(tmp_path, "local"), []

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
    runner.run_cells(wanted, local, cells.run_cell, n_jobs=1)
    for cell in wanted:
        assert store.path(cell).read_bytes() == local.path(cell).read_bytes()


def test_the_learners_of_a_cell_do_not_spread_over_cores():
    """Cells run side by side, so each must stay on its own core."""
    assert cells.make_learner(main_cells()[0]).n_jobs == 1
