"""Every method of the leaderboard of many classes."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import lwcal
from lwcal_study.classes.cells import ClassScores
from lwcal_study.leaderboard import other_libraries
from lwcal_study.leaderboard.classes.adapters import Joint, OneAgainstRest, ScikitLearn
from lwcal_study.leaderboard.methods import RAW, Attempt, Method, caught

SUM_TOLERANCE = 1e-6
"""Sums of rows may differ from 1 by rounding."""
NOISE_AWARE, AUTO = "NoiseAware", "Auto"
ONE_AGAINST_REST = "Auto, one against the rest"
SCALINGS = {
    "Temperature": lwcal.Temperature,
    "VectorScaling": lwcal.VectorScaling,
    "MatrixScaling": lwcal.MatrixScaling,
}


def on_clean_labels(name: str) -> str:
    """Name of the same method when it sees clean labels.

    >>> on_clean_labels("Temperature")
    'Temperature on clean labels'
    """
    return f"{name} on clean labels"


ORACLE = on_clean_labels("MatrixScaling")
"""What the shares of the gap are measured by."""
CLEAN_SCALINGS = tuple(map(on_clean_labels, SCALINGS))


def class_methods() -> dict[str, Method]:
    """Every method by name. Raises an error if a package is missing."""
    other_libraries.require_libraries()
    joint = {RAW: lwcal.Identity, **SCALINGS, NOISE_AWARE: lwcal.NoiseAware, AUTO: lwcal.Auto}
    methods = [
        *(Method(name, partial(_joint, cls), "lwcal") for name, cls in joint.items()),
        *RIVALS,
        *(
            Method(on_clean_labels(name), partial(_joint, cls), "lwcal", oracle=True)
            for name, cls in SCALINGS.items()
        ),
    ]
    return {method.name: method for method in methods}


def _joint(calibrator: Any) -> Joint:
    return Joint(calibrator())


RIVALS = (
    Method(
        ONE_AGAINST_REST,
        partial(OneAgainstRest, lwcal.Auto),
        "lwcal",
        "what version 0.1 does, and `CalibratedClassifier(multiclass='one_vs_rest')` still does",
    ),
    Method("Platt, one against the rest", partial(ScikitLearn, "sigmoid"), "scikit-learn"),
    Method("Isotonic, one against the rest", partial(ScikitLearn, "isotonic"), "scikit-learn"),
    Method("Temperature (scikit-learn)", partial(ScikitLearn, "temperature"), "scikit-learn"),
    Method("Beta, one against the rest", partial(OneAgainstRest, other_libraries.Beta), "betacal"),
    Method(
        "Venn-Abers, one against the rest",
        partial(OneAgainstRest, other_libraries.VennAbers),
        "venn-abers",
    ),
)


class Timed(NamedTuple):
    """An attempt, and the seconds of processor time that its fit took."""

    attempt: Attempt
    seconds: float


def timed_attempt(method: Method, rows: ClassScores) -> Timed:
    """Fit and predict. If the method failed: the raw scores, and the reason."""
    seconds = 0.0

    def predict() -> Any:
        nonlocal seconds
        start = time.process_time()
        try:
            labels = rows.y_clean if method.oracle else rows.y_noisy
            fitted = method.make().fit(rows.calibration, labels)
        finally:
            seconds = time.process_time() - start
        return checked_probabilities(fitted.predict(rows.test), rows.test.shape)

    return Timed(caught(predict, rows.test), seconds)


def checked_probabilities(probability: Any, shape: tuple[int, int]) -> Any:
    """Return the probabilities, or raise an error if they are none."""
    values = np.asarray(probability, dtype=np.float64)
    if values.shape != shape:
        raise ArithmeticError(f"scores of shape {shape} but probabilities of {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ArithmeticError("probabilities outside [0, 1]")
    if (np.abs(values.sum(axis=1) - 1) > SUM_TOLERANCE).any():
        raise ArithmeticError("rows of probabilities that do not sum to 1")
    return values
