"""Every example of the gallery runs by itself, without a warning."""

import re
import subprocess
import sys

import pytest

from tests import untraced
from tests.docs.pages import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
FEWER_ROWS = "1_000_000"
"""For examples with as many rows as one likes: the site is built with all of them."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(tmp_path, path):
    """In an empty folder, in which it leaves nothing, and with something to say."""
    environment = untraced.environment(MPLBACKEND="agg", ROWS=FEWER_ROWS)
    command = [sys.executable, "-W", "error", str(path)]
    finished = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws(path):
    """The gallery shows a picture of each."""
    assert re.search(r"(?m)^plt\.show\(\)$", path.read_text(encoding="utf-8"))
