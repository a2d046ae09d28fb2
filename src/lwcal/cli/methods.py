"""Calibrators that a command can fit to labels alone."""

from lwcal.calibrators import CALIBRATORS, Audited
from lwcal.errors import ParameterError, message
from lwcal.parameters import OneOf, check_parameter

METHODS = tuple(name for name, kind in CALIBRATORS.items() if kind is not Audited)


def check_method(name: str) -> None:
    """Refuse what is none of them; without checked labels Audited is NoiseAware.

    >>> check_method("audited")
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected --method to fit labels alone, got 'audited'; ...
    """
    if CALIBRATORS.get(name) is Audited:
        hint = "lwcal audit merge fits it to checked labels"
        raise ParameterError(message("--method to fit labels alone", repr(name), hint))
    check_parameter("--method", name, OneOf(METHODS))
