"""Functions whose source is copied into exported Python files of more than two classes."""

import math


def shares(scores: list[float | None], off_by: float | None) -> list[float] | None:
    """Divide scores by their sum. Return None if one is missing, or if the sum is not near 1.

    >>> shares([0.25, 0.25, 0.5], 0.01), shares([0.5, None, 0.5], 0.01), shares([0.5, 0.1], 0.01)
    ([0.25, 0.25, 0.5], None, None)
    >>> shares([0.25, 0.75, 1.0], None), shares([0.0, 0.0], None)
    ([0.125, 0.375, 0.5], [0.5, 0.5])
    """
    known = [score for score in scores if score is not None]
    total = sum(known)
    if len(known) < len(scores) or (off_by is not None and abs(total - 1.0) > off_by):
        return None
    return [score / total if total else 1.0 / len(known) for score in known]


def centred_logs(p: list[float], softness: float) -> list[float]:
    """Return the logs of probabilities, less their mean.

    >>> centred_logs([0.5, 0.5], 0.1)
    [0.0, 0.0]
    """
    logs = [math.log(share + softness) for share in p]
    mean = sum(logs) / len(logs)
    return [log - mean for log in logs]


def scaled(x: list[float], slopes: list[float], intercepts: list[float]) -> list[float]:
    """Return ``slopes * x + intercepts``.

    >>> scaled([1.0, -1.0], [2.0, 3.0], [0.5, 0.0])
    [2.5, -3.0]
    """
    return [a * v + b for a, v, b in zip(slopes, x, intercepts, strict=True)]


def multiplied(x: list[float], matrix: list[list[float]], intercepts: list[float]) -> list[float]:
    """Return ``matrix @ x + intercepts``.

    >>> multiplied([1.0, -1.0], [[2.0, 1.0], [0.0, 3.0]], [0.5, 0.0])
    [1.5, -3.0]
    """
    rows = zip(matrix, intercepts, strict=True)
    return [sum(m * v for m, v in zip(row, x, strict=True)) + b for row, b in rows]


def softmax(z: list[float]) -> list[float]:
    """Return ``exp(z)`` divided by its sum, without overflow.

    >>> softmax([0.0, 0.0]), softmax([0.0, -1000.0])
    ([0.5, 0.5], [1.0, 0.0])
    """
    largest = max(z)
    powers = [math.exp(v - largest) for v in z]
    total = sum(powers)
    return [power / total for power in powers]
