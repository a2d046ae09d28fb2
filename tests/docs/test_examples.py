"""Every example of the gallery runs, without a warning."""

import re
import runpy

import matplotlib.pyplot as plt
import pytest

from tests.docs.pages import ROOT

EXAMPLES = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.spark] * ("spark" in path.stem))
    for path in sorted((ROOT / "examples").glob("plot_*.py"))
]
FEWER_ROWS = "200_000"
"""For examples with as many rows as one likes: the site is built with all of them."""


@pytest.fixture
def kept_session(monkeypatch):
    """Leave the session of the tests open: an example closes the session that it uses."""
    from pyspark.sql import SparkSession

    def release(session):
        session.catalog.clearCache()
        session.sparkContext.setLogLevel("OFF")

    monkeypatch.setattr(SparkSession, "stop", release)


@pytest.mark.parametrize("path", EXAMPLES)
@pytest.mark.usefixtures("kept_session")
def test_an_example_runs(tmp_path, monkeypatch, capsys, path):
    """In an empty folder, in which it leaves nothing, and with something to say.

    In this process, as when the site is built: a process of its own spends seconds on imports.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROWS", FEWER_ROWS)
    plt.switch_backend("agg")
    runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    plt.close("all")
    assert capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_draws(path):
    """The gallery shows a picture of each."""
    assert re.search(r"(?m)^plt\.show\(\)$", path.read_text(encoding="utf-8"))
