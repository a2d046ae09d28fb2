"""A tiny leaderboard of many classes that its tests share."""

import shutil

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid
from lwcal_study.leaderboard.scores_file import read_scores
from tests.once import built_once

TASKS = ("sk_wine_grower", "nhanes_sugar_class")
COMMAND = ["leaderboard", "--quick", "--jobs", "1"]
SUITES = [part for name in grid.CLASS_SUITES for part in ("--suite", name)]
NOISES = ("clean", "uniform-low", "instance-high", "natural")
TREES = 4


def make_tiny(patch):
    """Let quick runs be tiny."""
    patch.setattr(grid, "QUICK_CLASS_TASKS", TASKS)
    patch.setattr(grid, "QUICK_CLASS_NOISES", NOISES)
    patch.setattr(grid, "QUICK_TREES", TREES)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a finished run, which tests may change."""

    def build(folder):
        with pytest.MonkeyPatch.context() as patch:
            make_tiny(patch)
            assert run([*COMMAND, *SUITES, "--out", str(folder)]) == 0

    folder = tmp_path_factory.mktemp("class_board") / "tiny"
    return shutil.copytree(built_once(tmp_path_factory, "class_board", build), folder)


@pytest.fixture(scope="session")
def frame(tiny):
    """Its scores."""
    return read_scores(tiny / "scores.parquet")
