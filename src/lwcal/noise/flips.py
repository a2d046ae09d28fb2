"""Inject label noise, by the mechanisms of the literature."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray, FloatArray, LabelArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.noise.difficulty import as_difficulty, flip_probabilities
from lwcal.parameters import SHARE, OneOf, check_parameter
from lwcal.rows import ArrayLike, as_labels

KINDS: dict[str, tuple[str, ...]] = {
    "symmetric": ("rate",),
    "asymmetric": ("negative_rate", "positive_rate"),
    "instance": ("rate", "difficulty"),
}
"""Every kind of noise, with its arguments: each is required, and no other is allowed."""


class FlippedLabels(NamedTuple):
    """Labels after noise, and which of them are wrong.

    Attributes
    ----------
    labels : array
        Same two values and same type as the input, with some labels flipped.
    flipped : bool array
        True where the label was flipped.
    """

    labels: npt.NDArray[Any]
    flipped: BoolArray


def flip_labels(
    y: ArrayLike,
    *,
    kind: str = "symmetric",
    rate: float | None = None,
    negative_rate: float | None = None,
    positive_rate: float | None = None,
    difficulty: ArrayLike | None = None,
    pos_label: Any = None,
    random_state: int | np.random.Generator | None = None,
) -> FlippedLabels:
    """Flip labels at random.

    Parameters
    ----------
    y : one-dimensional, two classes
        Labels of any type: numbers, booleans or strings.
    kind : {"symmetric", "asymmetric", "instance"}
        ``"symmetric"`` flips every label with probability ``rate``. ``"asymmetric"`` flips
        positive labels with ``positive_rate`` and negative ones with ``negative_rate``.
        ``"instance"`` flips in proportion to ``difficulty``, on average with ``rate``.
    rate : float from 0 to 1
        Mean flip probability.
    negative_rate, positive_rate : float from 0 to 1
        Flip probabilities of the two classes.
    difficulty : one-dimensional, at least 0
        One number per row. No row is flipped with a probability above 0.95; the excess is
        spread over the other rows, so the mean is still ``rate``.
    pos_label : optional
        The positive class, when it is not obvious from the labels. Only ``"asymmetric"``
        needs it.
    random_state : int, numpy Generator or None, default None
        Random seed; None flips other labels on every call.

    Examples
    --------
    >>> noisy = flip_labels(["no", "yes", "yes", "no"], rate=0.5, random_state=1)
    >>> noisy.labels.tolist(), noisy.flipped.tolist()
    (['no', 'yes', 'no', 'no'], [False, False, True, False])
    """
    given = {
        "rate": rate,
        "negative_rate": negative_rate,
        "positive_rate": positive_rate,
        "difficulty": difficulty,
    }
    _check_arguments(kind, given)
    values = np.asarray(y).reshape(-1)
    if kind != "asymmetric" and pos_label is None and len(values):
        pos_label = values[0]  # the result does not depend on the positive class
    codes = as_labels(y, pos_label=pos_label, name="y")
    pair = _class_values(values, codes, pos_label)
    probabilities = _flip_probabilities(kind, given, codes)
    flipped = np.random.default_rng(random_state).random(len(codes)) < probabilities
    return FlippedLabels(_exchange(values, codes, pair, flipped), flipped)


def _check_arguments(kind: str, given: dict[str, Any]) -> None:
    check_parameter("kind", kind, OneOf(tuple(KINDS)))
    needed = KINDS[kind]
    for name, value in given.items():
        if (value is None) == (name in needed):
            raise ParameterError(
                message(
                    f"kind={kind!r} with {' and '.join(needed)} only",
                    f"no {name}" if value is None else f"{name} as well",
                    "each kind of noise takes its own arguments",
                )
            )
        if value is not None and name != "difficulty":
            check_parameter(name, value, SHARE)


def _flip_probabilities(kind: str, given: dict[str, Any], codes: LabelArray) -> FloatArray:
    if kind == "symmetric":
        return np.full(len(codes), float(given["rate"]))
    if kind == "asymmetric":
        return np.where(codes == 1, float(given["positive_rate"]), float(given["negative_rate"]))
    difficulty = as_difficulty(given["difficulty"], len(codes))
    return flip_probabilities(difficulty, float(given["rate"]))


def _class_values(values: npt.NDArray[Any], codes: LabelArray, pos_label: Any) -> tuple[Any, Any]:
    """Values of the negative and the positive class in the labels."""
    rows = [np.flatnonzero(codes == code)[:1] for code in (0, 1)]
    negative, positive = (values[row[0]] if len(row) else None for row in rows)
    if negative is None:
        negative = _other_number(positive, pos_label)
    elif positive is None:
        positive = _other_number(negative, pos_label)
    return negative, positive


def _other_number(present: Any, pos_label: Any) -> Any:
    """Value of the class that does not occur, which can only be known for numbers."""
    if not isinstance(present, (np.bool_, Real)) or present not in (-1, 0, 1):
        raise InputError(
            message(
                "y to hold both classes",
                f"only '{present}'",
                "the value of the other class is unknown",
            )
        )
    if pos_label is not None and pos_label != present:
        return pos_label
    return 0 if present == 1 else 1


def _exchange(
    values: npt.NDArray[Any], codes: LabelArray, pair: tuple[Any, Any], flipped: BoolArray
) -> npt.NDArray[Any]:
    """Copy the values, with each flipped value replaced by the other one."""
    labels = values.copy()
    negative, positive = pair
    labels[flipped & (codes == 1)] = negative
    labels[flipped & (codes == 0)] = positive
    return labels
