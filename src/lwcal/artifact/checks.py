"""Checks of values that were read from a file."""

import sys
from typing import Any, TypeGuard

from lwcal.errors import ArtifactError, message


def is_finite(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number, and not a boolean."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and (
            abs(value) <= sys.float_info.max  # also for whole numbers that no float can hold
        )
    )


def as_object(value: object, name: str) -> dict[str, Any]:
    """Refuse anything but a JSON object."""
    if not isinstance(value, dict):
        raise ArtifactError(message(f"{name} to be an object", type(value).__name__))
    return value


def as_number(value: object, name: str) -> float:
    """Refuse anything but a finite number."""
    if not is_finite(value):
        raise ArtifactError(message(f"{name} to be a finite number", f"{value!r}"))
    return float(value)


def as_share(value: object, name: str) -> float:
    """Refuse anything but a number from 0 to 1."""
    if not is_finite(value) or not 0.0 <= value <= 1.0:
        raise ArtifactError(message(f"{name} to be a number from 0 to 1", f"{value!r}"))
    return float(value)
