"""What was passed where one calibrator is needed."""

from __future__ import annotations

from lwcal.calibrators.base import Calibrator
from lwcal.errors import InputTypeError, message

SEVERAL = {
    "CalibratedClassifier": "it holds one for each fold and class, such as "
    "calibrated_classifiers_[0].calibrators[0]",
    "Segments": "pass that of one segment, segments.segments[name].calibrator, or that of all "
    "rows, segments.pooled",
}
"""Objects that hold several calibrators, by type, as their modules are above this one."""


def require_calibrator(given: object) -> None:
    """Refuse what is no calibrator, and say where one is in it.

    >>> require_calibrator("platt")
    Traceback (most recent call last):
    lwcal.errors.InputTypeError: expected a calibrator, got str.
    """
    if not isinstance(given, Calibrator):
        raise InputTypeError(not_a_calibrator(given))


def not_a_calibrator(given: object) -> str:
    """What to pass in place of something that is no calibrator."""
    name = type(given).__name__
    if isinstance(given, type) and issubclass(given, Calibrator):
        got = f"the class {given.__name__}"
        return message("a calibrator", got, f"make and fit one, {given.__name__}().fit(scores, y)")
    return message("a calibrator", name, SEVERAL.get(name, ""))
