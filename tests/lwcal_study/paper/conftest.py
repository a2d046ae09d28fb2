"""A quick run of the study that its tests share."""

import pickle
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from lwcal.cli.app import run
from lwcal_study.paper import grid, run_record, tables
from lwcal_study.paper.output import complete_analysis
from lwcal_study.paper.results import read_baselines, read_results
from tests.once import built_once

COMMITTED = Path(__file__).parents[3] / "results" / "paper"
TREES = 4
"""Trees of a forest. The tests need every cell of a quick run, but not a good model."""
RESAMPLES = 1000
"""Of a bootstrap. The study has ten times as many, and so have the tests of its intervals."""


class QuickRun(NamedTuple):
    """The folder of a finished run, and what was in it at the end of the run."""

    folder: Path
    contents: dict[str, bytes]


def files_of(folder):
    """Contents of all files, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def run_quickly(folder, *options):
    """Run the command in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["lwcal", "reproduce", "--quick", "--out", "here"])
        patch.setattr(grid, "QUICK_TREES", TREES)
        patch.setattr(tables, "N_RESAMPLES", RESAMPLES)
        patch.setattr(run_record, "today", lambda: "2026-01-31")  # the report has the date
        assert run(["reproduce", "--quick", "--jobs", "1", "--out", str(folder), *options]) == 0


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory):
    """An uninterrupted run, with archive and PDF, in a folder that tests may change."""

    def build(folder):
        run_quickly(folder, "--package")

    folder = tmp_path_factory.mktemp("study") / "study"
    shutil.copytree(built_once(tmp_path_factory, "quick-study", build), folder)
    return QuickRun(folder, files_of(folder))


@pytest.fixture(scope="session")
def artefact(quick_run):
    """Its folder."""
    return quick_run.folder


@pytest.fixture(scope="session")
def results(artefact):
    """Its tables."""
    return read_results(artefact / "data")


@pytest.fixture(scope="session")
def baselines(artefact):
    """Its tables of the appendix."""
    return read_baselines(artefact / "data")


def analysed_once(tmp_path_factory, name, folder, *, quick):
    """The analysis of a folder, made once for a whole run."""

    def build(made):
        found = complete_analysis(read_results(folder / "data"), folder, quick=quick)
        (made / "analysis.pickle").write_bytes(pickle.dumps(found))

    made = built_once(tmp_path_factory, name, build)
    return pickle.loads((made / "analysis.pickle").read_bytes())


@pytest.fixture(scope="session")
def analysis(artefact, tmp_path_factory):
    """The content of every report."""
    return analysed_once(tmp_path_factory, "quick-analysis", artefact, quick=True)


@pytest.fixture(scope="session")
def committed(tmp_path_factory):
    """The content of the report on the committed results."""
    return analysed_once(tmp_path_factory, "committed-analysis", COMMITTED, quick=False)
