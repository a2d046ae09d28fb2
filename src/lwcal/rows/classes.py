"""Which labels are the same class, and which class is positive."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from lwcal.errors import InputError

NEGATIVE_OF = {
    "1": ("0", "-1"),
    "yes": ("no",),
    "y": ("n",),
    "t": ("f",),
    "pos": ("neg",),
    "positive": ("negative",),
}
"""Positive classes that need no explanation, with what the negative one is called beside them."""
OBVIOUS_PAIRS = tuple(
    (negative, positive) for positive, names in NEGATIVE_OF.items() for negative in names
)
OBVIOUS_KEYS = frozenset(key for pair in OBVIOUS_PAIRS for key in pair)
TRUTH_KEYS = {"true": "1", "false": "0"}


def class_key(value: Any) -> str:
    """Spell a label so that equal classes have equal keys.

    Upper and lower case and surrounding blanks do not matter. Numbers and booleans are the same
    class as their text.

    >>> [class_key(value) for value in (" Yes", "YES", 1, 1.0, "1.0", True, "true", "-1")]
    ['yes', 'yes', '1', '1', '1', '1', '1', '-1']
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    text = str(value).strip().casefold()
    return TRUTH_KEYS.get(text) or _number_key(text) or text


def _number_key(text: str) -> str | None:
    if "_" in text:  # Python reads 1_0 as 10, and nothing else does
        return None
    for kind in (int, float):  # whole numbers stay exact, however long they are
        try:
            number = kind(text)
        except ValueError:
            continue
        if isinstance(number, int) or number.is_integer():
            return str(int(number))
        return repr(number)
    return None


def obvious_pair(keys: Collection[str]) -> tuple[str, str] | None:
    """Find a negative and a positive class whose names explain themselves.

    >>> obvious_pair(["no", "?", "yes"]), obvious_pair(["good", "bad"])
    (('no', 'yes'), None)
    """
    return next((pair for pair in OBVIOUS_PAIRS if set(pair) <= set(keys)), None)


def positive_key(classes: dict[str, Any], pos_label: Any, name: str) -> str | None:
    """Key of the positive class among at most two; None when only the negative one occurs.

    Parameters
    ----------
    classes : dict
        Keys, each with the label as it was first written.
    pos_label : object
        The positive class if it was named, else None.
    name : str
        The column, as messages call it.
    """
    shown = " and ".join(repr(value) for value in classes.values())
    if pos_label is not None:
        if class_key(pos_label) in classes or len(classes) == 1:
            return class_key(pos_label)
        raise InputError(f"pos_label={pos_label!r} is not a class of {name}, which has {shown}.")
    for negative, positive in OBVIOUS_PAIRS:  # part of the data may lack a class
        if set(classes) <= {negative, positive}:
            return positive
    example = list(classes.values())[-1]
    raise InputError(
        f"{name} has the class{'es' * (len(classes) > 1)} {shown}, and it is not clear which one "
        f"is positive. Name it, for example pos_label={example!r} (--pos-label {example})."
    )


def too_many_classes(name: str, found: str) -> InputError:
    """Word the error about labels that have more than two classes."""
    return InputError(
        f"{name} has {found}; labels must have two classes. For more classes use "
        "CalibratedClassifier. For numbers, apply a threshold first."
    )
