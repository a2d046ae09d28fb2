"""Whether a calibrator follows the labels of its fit, from which a change of base rates starts.

One that does not, such as `Temperature` beside a model that was trained on balanced rows, has a
base rate of its own. Odds that are changed from there end anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from lwcal.adjustments import percent
from lwcal.arrays import FloatArray
from lwcal.shift.verdicts import LEAST_LABELS

OFF = 1.25
"""Ratio of the odds of both base rates from which on they differ."""
SIGMAS = 3.0
"""Standard errors that the difference must have."""
TINY = 1e-12
ROUNDING = 1e-6


class OffItsRows(NamedTuple):
    """The class that a calibrator expects at another rate than it is labelled.

    Attributes
    ----------
    name : object
        None for the positive one of two classes.
    expected, labelled : float
        Share of the rows of the fit, by the calibrator and by their labels.
    """

    name: object
    expected: float
    labelled: float

    @property
    def sentence(self) -> str:
        """What is wrong, in plain words."""
        labels = "positive" if self.name is None else self.name
        return (
            f"The calibrator expects {percent(self.expected)} {labels} among the rows of its fit, "
            f"and {percent(self.labelled)} are labelled so."
        )

    def refusal(self, method: str) -> str:
        """Why the calibrator is not adapted, and a method that could be."""
        return (
            f"{self.sentence} So no base rate can be changed, and the calibrator is not adapted. "
            f"{_remedy(method)}"
        )

    def sampling_doubt(self, method: str) -> str:
        """When it is wrong to undo sampling, and a method with which it is right."""
        return (
            f"{self.sentence} Its correction for sampling is right only if these labels are wrong, "
            "and it is not. Raw scores of a model that was trained on all rows need none. "
            f"{_remedy(method)}"
        )


def _remedy(method: str) -> str:
    return f"Fit one that follows its labels, such as {method}, or Auto if some may be wrong."


def off_its_rows(
    expected: FloatArray, labels: FloatArray, names: tuple[object, ...]
) -> OffItsRows | None:
    """Find the class whose two base rates differ most; None if they hardly do.

    Parameters
    ----------
    expected : float64 array
        Share of each class, by the calibrator.
    labels : float64 array
        Number of labels of each class.
    names : tuple
        Name of each class.

    Examples
    --------
    >>> off_its_rows(np.array([0.7, 0.3]), np.array([900.0, 100.0]), ("no", None)).sentence
    'The calibrator expects 30% positive among the rows of its fit, and 10% are labelled so.'
    >>> off_its_rows(np.array([0.89, 0.11]), np.array([900.0, 100.0]), ("no", None))
    """
    n = float(labels.sum())
    # half a row more, so that a class with all or no labels has odds and a variance
    labelled = (labels + 0.5) / (n + 1.0)
    far = np.abs(expected - labelled) > SIGMAS * np.sqrt(labelled * (1.0 - labelled) / n)
    far &= labels >= LEAST_LABELS
    bounded = np.clip(expected, TINY, 1.0 - TINY)
    ratio = np.where(far, np.abs(logit(bounded) - logit(labelled)), 0.0)
    # of equal ones, but for rounding, the last: of two classes, the positive one
    worst = int(np.flatnonzero(ratio >= ratio.max() - ROUNDING)[-1])
    if ratio[worst] <= np.log(OFF):
        return None
    return OffItsRows(names[worst], float(expected[worst]), float(labels[worst]) / n)
