"""A tiny leaderboard of several opinions that its tests share."""

import shutil

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid
from lwcal_study.leaderboard.opinions import methods
from lwcal_study.leaderboard.scores_file import read_scores
from tests.once import built_once

TASKS = ("lego_hearts", "dmba_german_employment", "raters_word_strong")
COMMAND = ["leaderboard", "--quick", "--suite", "opinions", "--jobs", "1"]
ROWS = 240


def make_tiny(patch):
    """Let quick runs be tiny, as where crowd-kit is not installed."""
    patch.setattr(methods, "find_spec", lambda name: None)
    patch.setattr(grid, "QUICK_OPINION_TASKS", TASKS)
    patch.setattr(grid.opinion_cells, "MOST_ROWS", ROWS)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a finished run, which tests may change."""

    def build(folder):
        with pytest.MonkeyPatch.context() as patch:
            make_tiny(patch)
            assert run([*COMMAND, "--out", str(folder)]) == 0

    folder = tmp_path_factory.mktemp("opinion_board") / "tiny"
    return shutil.copytree(built_once(tmp_path_factory, "opinion_board", build), folder)


@pytest.fixture(scope="session")
def frame(tiny):
    """Its scores."""
    return read_scores(tiny / "scores.parquet")
