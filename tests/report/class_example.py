"""Example rows of four classes: wolves and foxes are labelled as each other."""

from typing import NamedTuple

import numpy as np

import lwcal
from tests.multiclass.simulated import noisy_rows
from tests.report.example import CREATED

NAMES = ("cat", "dog", "fox", "wolf")
NOISE = np.array(
    [
        [0.98, 0.02, 0.0, 0.0],
        [0.02, 0.98, 0.0, 0.0],
        [0.0, 0.02, 0.78, 0.2],
        [0.02, 0.0, 0.1, 0.88],
    ]
)


class ClassExample(NamedTuple):
    """Columns of rows, and what a label should be."""

    scores: np.ndarray
    labels: np.ndarray
    truth: np.ndarray


def make_class_example(n=1500):
    """Scores of a model that is too sure of itself; a tenth of the labels is wrong."""
    scores, truth, labels = noisy_rows(n, NOISE, seed=3, clarity=0.1, slope=0.8)
    return ClassExample(scores, np.array(NAMES)[labels], np.array(NAMES)[truth])


def write_class_example(path):
    """Write the page of a calibrator that was fitted to these rows."""
    scores, labels, _ = make_class_example()
    calibrator = lwcal.Auto().fit(scores, labels)
    return lwcal.report.write_report(
        calibrator, scores, labels, path=path, title="Animals: calibration report", created=CREATED
    )
