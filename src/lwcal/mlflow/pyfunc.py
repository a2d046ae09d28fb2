"""What MLflow runs: a calibrator that takes and returns frames."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.artifact import load
from lwcal.calibrators import Calibrator

FILE = "calibrator.json"
"""The calibrator, in the folder of the model."""
SCORE, CALIBRATED = "score", "p_calibrated"
"""Columns of a calibrator of one score; those of several classes end with the class."""


class Names(NamedTuple):
    """Columns that a logged calibrator takes and returns."""

    inputs: list[str]
    outputs: list[str]


def names_of(calibrator: Calibrator) -> Names:
    """Columns of a calibrator: of one score, or one for each class.

    >>> import lwcal
    >>> names_of(lwcal.Identity().fit([0.2, 0.7], [0, 1]))
    Names(inputs=['score'], outputs=['p_calibrated'])
    """
    if not hasattr(calibrator, "classes_"):
        return Names([SCORE], [CALIBRATED])
    labels = [str(label) for label in calibrator.classes_.tolist()]
    return Names(
        [f"{SCORE}_{label}" for label in labels], [f"{CALIBRATED}_{label}" for label in labels]
    )


class LoadedCalibrator:
    """A calibrator as MLflow calls it.

    Parameters
    ----------
    calibrator : fitted calibrator
    """

    def __init__(self, calibrator: Calibrator) -> None:
        self.calibrator = calibrator
        self.names = names_of(calibrator)

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Calibrated probabilities: a column, or one for each class.

        Parameters
        ----------
        model_input : frame or array
            Scores, on the scale of the fit. Columns of a frame are found by name if all are there.
        params : dict, optional
            Not used; MLflow passes it.
        """
        import pandas as pd

        names, index = self.names, getattr(model_input, "index", None)
        if set(names.inputs) <= set(getattr(model_input, "columns", ())):
            model_input = model_input[names.inputs]
        if len(names.inputs) == 1:
            found = self.calibrator.predict(np.asarray(model_input, dtype=np.float64).reshape(-1))
        elif hasattr(model_input, "columns"):  # other names may tell the classes, too
            found = self.calibrator.predict(model_input)
        else:
            scores = np.asarray(model_input, dtype=np.float64)
            found = self.calibrator.predict(scores.reshape(-1, len(names.inputs)))
        return pd.DataFrame(found.reshape(len(found), -1), columns=names.outputs, index=index)


def _load_pyfunc(path: str) -> LoadedCalibrator:
    """Load the calibrator, as MLflow asks of the module that is named in a model."""
    return LoadedCalibrator(load(path))
