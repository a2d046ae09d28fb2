"""Checks of values that were read from a file."""

import sys
from typing import Any, TypeGuard

import numpy as np

from lwcal.arrays import FloatArray
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


def as_list(value: object, name: str, length: int | None = None) -> list[Any]:
    """Refuse anything but a JSON array that is not empty, or has this many values."""
    if isinstance(value, list) and (len(value) == length or (length is None and value)):
        return value
    got = f"{len(value)}" if isinstance(value, list) else type(value).__name__
    expected = "values" if length is None else f"{length} values"
    raise ArtifactError(message(f"{name} to be a list of {expected}", got))


def as_share_matrix(value: object, name: str, size: int) -> FloatArray:
    """Refuse anything but rows of shares, as many as each has values."""
    rows = [as_list(row, name, size) for row in as_list(value, name, size)]
    return np.array([[as_share(share, name) for share in row] for row in rows])


def as_share(value: object, name: str) -> float:
    """Refuse anything but a number from 0 to 1."""
    if not is_finite(value) or not 0.0 <= value <= 1.0:
        raise ArtifactError(message(f"{name} to be a number from 0 to 1", f"{value!r}"))
    return float(value)
