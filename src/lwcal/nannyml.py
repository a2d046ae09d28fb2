"""A calibrator as NannyML calls it.

NannyML estimates how well a model does without labels. It calibrates the scores first, by
isotonic regression on its reference rows. With labels that may be wrong, use a calibrator of lwcal
in its place. NannyML itself is not imported before :func:`register`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator
from lwcal.errors import MissingExtraError, ParameterError, message

__all__ = ["NannymlCalibrator", "register"]

NEED_MORE = {"audited", "reviewed"}
"""Calibrators for more than a score and a label in each row."""


class NannymlCalibrator:
    """A calibrator with the interface of ``nannyml.calibration.Calibrator``.

    Parameters
    ----------
    calibrator : Calibrator, optional
        By default :class:`lwcal.Auto`. A copy of it is fitted.

    Attributes
    ----------
    calibrator_ : Calibrator
        The fitted copy.

    Examples
    --------
    >>> from lwcal import Isotonic
    >>> from lwcal.nannyml import NannymlCalibrator
    >>> calibrator = NannymlCalibrator(Isotonic())
    >>> calibrator.fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> calibrator.calibrate([0.1, 0.5, 0.95])
    array([0. , 0.5, 1. ])
    """

    def __init__(self, calibrator: Calibrator | None = None) -> None:
        if not (calibrator is None or isinstance(calibrator, Calibrator)):
            expected = "a calibrator of lwcal, such as lwcal.Auto()"
            raise ParameterError(message(expected, f"{calibrator!r}"))
        self.calibrator = calibrator

    def fit(self, y_pred_proba: Any, y_true: Any, *args: Any, **kwargs: Any) -> None:
        """Fit to the scores and labels of the reference rows.

        Parameters
        ----------
        y_pred_proba : one-dimensional, in [0, 1]
        y_true : one-dimensional
            Labels 0 and 1, some of which may be wrong.
        *args, **kwargs
            Not used; NannyML's interface has them.
        """
        template = Auto() if self.calibrator is None else self.calibrator
        scores = np.asarray(y_pred_proba, dtype=np.float64).ravel()
        self.calibrator_ = cast("Calibrator", clone(template)).fit(scores, np.asarray(y_true))

    def calibrate(self, y_pred_proba: Any, *args: Any, **kwargs: Any) -> FloatArray:
        """Calibrated probabilities of new scores.

        Parameters
        ----------
        y_pred_proba : one-dimensional, in [0, 1]
        *args, **kwargs
            Not used; NannyML's interface has them.
        """
        if not hasattr(self, "calibrator_"):
            raise ParameterError(message("a fitted calibrator", "none", "call fit first"))
        return self.calibrator_.predict(np.asarray(y_pred_proba, dtype=np.float64).ravel())


def register(prefix: str = "lwcal-") -> list[str]:
    """Make the calibrators of scores and labels known to NannyML, each under a key of its own.

    Then ``nannyml.CBPE(..., calibration="lwcal-auto")`` uses one.

    Parameters
    ----------
    prefix : str, default "lwcal-"
        What the keys begin with; the names of the calibrators follow.

    Returns
    -------
    list of str
        The keys.
    """
    try:
        # whoever calls this has it; its pinned versions keep it out of the dependencies
        theirs = import_module("nannyml.calibration")
    except ImportError as error:
        raise MissingExtraError(
            "lwcal.nannyml.register needs NannyML, which is not installed: pip install nannyml"
        ) from error
    theirs.Calibrator.register(NannymlCalibrator)  # a subclass, as isinstance and issubclass see it
    keys = {f"{prefix}{name}": kind for name, kind in CALIBRATORS.items() if name not in NEED_MORE}
    for key, kind in keys.items():
        theirs.CalibratorFactory.register_calibrator(key, _maker(kind))
    return list(keys)


def _maker(kind: type[Calibrator]) -> Any:
    """Return a function of the parameters of a calibrator, as the factory calls it."""

    def make(**parameters: Any) -> NannymlCalibrator:
        return NannymlCalibrator(kind(**parameters))

    return make
