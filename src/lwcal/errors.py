"""The exceptions and warnings that lwcal raises.

Every exception derives from :class:`LwcalError`, so one ``except`` clause catches them all. Each
also derives from the built-in exception that fits, so ``except ValueError`` works too. A message
states what lwcal expected, what arrived, and what to do.

Examples
--------
>>> import lwcal
>>> try:
...     lwcal.Beta().fit([0.2, 1.7], [0, 1])
... except lwcal.errors.InputError as error:
...     print("refused:", type(error).__name__)
refused: InputError
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the help of the command line needs these exceptions, and no arrays
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ArtifactError",
    "BaseRateWarning",
    "DroppedRowsWarning",
    "EngineError",
    "InputError",
    "InputTypeError",
    "LwcalError",
    "MissingExtraError",
    "OutputError",
    "ParameterError",
    "ScaleWarning",
    "SegmentWarning",
    "UncheckedModelWarning",
]


class LwcalError(Exception):
    """Base class of every exception that lwcal raises."""


class InputError(LwcalError, ValueError):
    """Scores, labels or weights are not usable."""


class InputTypeError(InputError, TypeError):
    """Scores have a type that holds no numbers, or what was passed is no calibrator."""


class ParameterError(LwcalError, ValueError):
    """A parameter is outside its documented range."""


class ArtifactError(LwcalError, ValueError):
    """A saved calibrator is damaged, unknown or unsafe to use."""


class OutputError(LwcalError, ValueError):
    """A file cannot be written, or exists already."""


class MissingExtraError(LwcalError, ImportError):
    """An optional dependency is not installed."""


class EngineError(LwcalError, RuntimeError):
    """An engine cannot run or failed while running, although the input is fine."""


class BaseRateWarning(UserWarning):
    """The base rate of a calibrator was changed twice, or from another one than its labels have."""


class DroppedRowsWarning(UserWarning):
    """Unusable rows were dropped, as ``drop_invalid`` requested."""


class ScaleWarning(UserWarning):
    """New scores are probably not on the scale of the fit."""


class SegmentWarning(UserWarning):
    """Rows are in segments that were not in the fit."""


class UncheckedModelWarning(UserWarning):
    """Whether a model is the one that was calibrated could not be checked by its scores."""


def message(expected: str, got: str, hint: str = "") -> str:
    """Write an error as: what was expected, what arrived, what to do.

    >>> message("two classes", "3", "merge two of them")
    'expected two classes, got 3; merge two of them.'
    """
    text = f"expected {expected}, got {got}"
    return f"{text}; {hint}." if hint else f"{text}."


def offending_rows(bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], what: str) -> str:
    """Count the offending rows and show the first one.

    >>> import numpy as np
    >>> values = np.array([0.2, 1.5, 7.0])
    >>> offending_rows(values > 1, values, "above 1")
    '2 of 3 values above 1, the first in row 1 (1.5)'
    """
    first = int(bad.argmax())
    value = values[first]
    shown = value.item() if hasattr(value, "dtype") else value
    count = int(bad.sum())
    return f"{count:,} of {len(values):,} values {what}, the first in row {first} ({shown!r})"


def missing_extra(package: str, extra: str, purpose: str) -> MissingExtraError:
    """Name the missing package and the command that installs it."""
    return MissingExtraError(
        f'{purpose} needs {package}, which is not installed: pip install "lwcal[{extra}]"'
    )
