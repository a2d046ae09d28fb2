"""A tiny leaderboard that its tests share: one judged and one development task."""

import pytest

from lwcal.cli.app import run
from lwcal_study.leaderboard import grid
from lwcal_study.leaderboard.scores_file import read_scores

TASKS = ("lego_hearts", "sm_anes96_vote")
COMMAND = ["leaderboard", "--quick", "--jobs", "1"]
SUITES = ["--suite", "real", "--suite", "real-clean", "--suite", "natural"]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("leaderboard")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "QUICK_TASKS", TASKS)
        assert run([*COMMAND, *SUITES, "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def frame(tiny):
    """Its scores."""
    return read_scores(tiny / "scores.parquet")
