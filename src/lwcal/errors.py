"""The exceptions of lwcal, and the sentences they are made of.

Every message says what was expected, what arrived, and what to do about it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt


class LwcalError(Exception):
    """Base of every exception that lwcal raises."""


class InputError(LwcalError, ValueError):
    """Scores, labels or weights that cannot be used."""


class ParameterError(LwcalError, ValueError):
    """A parameter outside its documented range."""


class ArtifactError(LwcalError, ValueError):
    """A saved calibrator that is damaged, unknown or unsafe to use."""


class OutputError(LwcalError, ValueError):
    """A file that cannot be written, or exists already."""


class MissingExtraError(LwcalError, ImportError):
    """An optional dependency that is not installed."""


class EngineError(LwcalError, RuntimeError):
    """An engine that cannot run, or that failed while it ran; the input is not at fault."""


class DroppedRowsWarning(UserWarning):
    """Rows that could not be used and were left out, as asked."""


def message(expected: str, got: str, hint: str = "") -> str:
    """Build the one sentence form that every error follows."""
    text = f"expected {expected}, got {got}"
    return f"{text}; {hint}." if hint else f"{text}."


def offending_rows(bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], what: str) -> str:
    """Count offending rows and show the first.

    >>> import numpy as np
    >>> values = np.array([0.2, 1.5, 7.0])
    >>> offending_rows(values > 1, values, "above 1")
    '2 of 3 values above 1, the first in row 1 (1.5)'
    """
    first = int(np.argmax(bad))
    value = values[first]
    shown = value.item() if isinstance(value, np.generic) else value
    count = int(np.count_nonzero(bad))
    return f"{count:,} of {len(values):,} values {what}, the first in row {first} ({shown!r})"


def missing_extra(package: str, extra: str, purpose: str) -> MissingExtraError:
    """Name the command that installs what is missing."""
    return MissingExtraError(
        f'{purpose} needs {package}, which is not installed: pip install "lwcal[{extra}]"'
    )
