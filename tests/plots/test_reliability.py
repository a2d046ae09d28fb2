"""The reliability picture shows the numbers it was given."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from lwcal.errors import MissingExtraError
from lwcal.metrics import ece
from lwcal.plots import ReliabilityDisplay


@pytest.fixture
def display(noisy_rows):
    """Two curves on the same labels."""
    scores, labels = noisy_rows
    return ReliabilityDisplay.from_predictions(labels, {"raw": scores, "flat": scores * 0 + 0.5})


def test_lines_are_the_curves(display, noisy_rows):
    """One line a curve besides the diagonal, each with its error in the legend."""
    ax = display.plot()
    lines = {line.get_label(): line for line in ax.get_lines()}
    scores, labels = noisy_rows
    raw = lines[f"raw (ECE {ece(labels, scores):.3f})"]
    np.testing.assert_array_equal(raw.get_ydata(), display.curves["raw"].observed)
    assert len(lines) == 3
    assert ax.get_xlabel() == "predicted probability"


def test_the_callers_axes_are_used(display):
    """Compute first, draw later, anywhere."""
    ax = Figure().subplots()
    assert display.plot(ax) is ax


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_files_are_written_in_the_format_of_their_name(display, tmp_path, suffix):
    """Print and screen."""
    display.save(tmp_path / f"r.{suffix}", title="t")
    start = (tmp_path / f"r.{suffix}").read_bytes()[:5]
    assert start == {"png": b"\x89PNG\r", "pdf": b"%PDF-", "svg": b"<?xml"}[suffix]


def test_without_matplotlib_the_command_to_install_it_is_named(display, monkeypatch):
    """One line, no traceback to read."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r'pip install "lwcal\[report\]"'):
        display.plot()
