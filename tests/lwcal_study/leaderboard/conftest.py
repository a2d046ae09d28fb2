"""A tiny leaderboard that its tests share: one judged and one development task."""

import shutil

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid
from lwcal_study.leaderboard.scores_file import read_scores
from tests.once import built_once

TASKS = ("lego_hearts", "sm_anes96_vote")
COMMAND = ["leaderboard", "--quick", "--jobs", "1"]
SUITES = ["--suite", "real", "--suite", "real-clean", "--suite", "natural"]
NOISES = ("symmetric-low", "missed-high")
"""Injected noises, of which a whole run has eight. Tables by noise need more than one kind."""
TREES = 4
"""Trees of a forest. The tests need every method and suite, but not a good model."""


def make_tiny(patch):
    """Let quick runs be tiny."""
    patch.setattr(grid, "QUICK_TASKS", TASKS)
    patch.setattr(grid, "INJECTED", NOISES)
    patch.setattr(grid, "QUICK_TREES", TREES)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a finished run, which tests may change."""

    def build(folder):
        with pytest.MonkeyPatch.context() as patch:
            make_tiny(patch)
            assert run([*COMMAND, *SUITES, "--out", str(folder)]) == 0

    folder = tmp_path_factory.mktemp("leaderboard") / "tiny"
    return shutil.copytree(built_once(tmp_path_factory, "leaderboard", build), folder)


@pytest.fixture(scope="session")
def frame(tiny):
    """Its scores."""
    return read_scores(tiny / "scores.parquet")
