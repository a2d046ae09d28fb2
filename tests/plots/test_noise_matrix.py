"""NoiseMatrixDisplay draws the matrix of an estimate."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import lwcal
from lwcal.errors import ParameterError
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import RateEstimate
from lwcal.plots import NoiseMatrixDisplay


def estimate(k=3, unknown=()):
    """Every tenth label is the next class."""
    matrix = 0.9 * np.eye(k) + 0.1 * np.roll(np.eye(k), 1, axis=1)
    values = [None if row in unknown else 0.1 for row in range(k)]
    rates = tuple(RateEstimate(value, 0.05, 0.15, 0.5) for value in values)
    names = tuple(f"class {row}" for row in range(k))
    low, high = np.clip(matrix - 0.02, 0, 1), np.clip(matrix + 0.02, 0, 1)
    return ClassNoiseEstimate(names, matrix, low, high, rates, rates[-1], 0.1, {}, 0.9)


def test_cells_numbers_and_names():
    """A true class in each row. Zeros have no number; a class that is not known has none."""
    axes = Figure().add_subplot()
    display = NoiseMatrixDisplay.from_estimate(estimate(unknown=[1]), ax=axes)
    cells = np.ma.filled(display.im_.get_array(), np.nan)
    np.testing.assert_array_equal(cells[[0, 2]], display.noise.matrix[[0, 2]])
    assert np.isnan(cells[1]).all()
    numbers = {text.get_position(): text.get_text() for text in display.text_}
    assert numbers[(1, 0)] == "10"  # the column is the label
    assert len(numbers) == 4
    rows = [text.get_text() for text in axes.get_yticklabels()]
    assert rows == ["class 0", "? class 1", "class 2"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("label", "true class")


def test_options_reach_the_picture():
    """A colour map of the caller replaces the default."""
    display = NoiseMatrixDisplay(estimate()).plot(ax=Figure().add_subplot(), cmap="Greys")
    assert display.im_.get_cmap().name == "Greys"


def test_many_classes_have_no_numbers():
    """They would not be readable."""
    display = NoiseMatrixDisplay(estimate(21)).plot(ax=Figure().add_subplot())
    assert display.text_ == []


def test_what_has_no_matrix_is_refused():
    """A calibrator without a noise model, and one of two classes."""
    temperature = lwcal.Temperature().fit(np.eye(3), [0, 1, 2])
    two = replace(lwcal.estimate_noise([0.1, 0.9, 0.8, 0.2], [0, 1, 1, 0]), confidence=0.9)
    for given in (temperature, two, "matrix"):
        with pytest.raises(ParameterError, match="more than two classes"):
            NoiseMatrixDisplay.from_estimate(given)
