"""Compare calibrators of several classes on rows they did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_classes
from lwcal.diagnosis.comparison import Candidate, checked_methods
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses, corrected_by, corrected_top_label_ece
from lwcal.metrics.resampling import Resampling
from lwcal.multiclass.class_rows import ClassRows

DEFAULT_CLASS_METHODS = (
    *("identity", "temperature", "vector-scaling", "matrix-scaling", "noise-aware", "auto"),
)
"""Calibrators of several classes that are compared by default."""

ClassFactories: TypeAlias = Mapping[str, Callable[[], ClassCalibrator]]


@dataclass(frozen=True)
class ClassComparison:
    """Several calibrators on the same rows of several classes.

    Attributes
    ----------
    n : float
        Number of rows, or their total weight.
    noise_matrix : float64 array of shape (K, K)
        Expected noise matrix behind the corrected metrics.
    confidence : float
        Level of all intervals.
    candidates : tuple of Candidate
        The calibrators, the lowest corrected log loss first.
    """

    n: float
    noise_matrix: FloatArray
    confidence: float
    candidates: tuple[Candidate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "n": self.n,
            "noise_matrix": self.noise_matrix.tolist(),
            "confidence": self.confidence,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def class_factories(methods: Iterable[str]) -> ClassFactories:
    """Refuse calibrators that take one column.

    >>> class_factories(["isotonic"])
    Traceback (most recent call last):
    lwcal.errors.ParameterError: expected calibrators of several classes (...), got 'isotonic'.
    """
    able = {k: c for k, c in CALIBRATORS.items() if issubclass(c, ClassCalibrator)}
    found: dict[str, Callable[[], ClassCalibrator]] = {}
    for name in checked_methods(methods):
        if name not in able:
            expected = f"calibrators of several classes ({', '.join(sorted(able))})"
            raise ParameterError(message(expected, f"{name!r}"))
        found[name] = able[name]
    return found


def judge_classes(
    calibrators: ClassFactories,
    rows: ClassRows,
    matrix: FloatArray,
    resampling: Resampling,
    on_progress: Callable[[], None] = lambda: None,
) -> tuple[Candidate, ...]:
    """Cross-fit and judge calibrators, in the order given."""
    fitted = {}
    for method, make in calibrators.items():
        fitted[method] = cross_predict_classes(make, rows)
        on_progress()
    draws = _resampled_shares(rows, resampling)
    raw = ClassCrossFitted(rows.scores, rows.scores, rows.labels, rows.weights)
    right = np.eye(rows.n_classes)
    of_raw = {name: _losses(raw, of) for name, of in (("right", right), ("noise", matrix))}
    found = []
    for method, left_out in fitted.items():
        as_labelled, corrected = _losses(left_out, right), _losses(left_out, matrix)
        table = left_out.predicted, left_out.labels, left_out.weights
        found.append(
            Candidate(
                method,
                {name: float(draws[0] @ loss) for name, loss in as_labelled.items()}
                | {"ece": corrected_top_label_ece(*table, right)},
                {name: _estimate(loss, draws, resampling) for name, loss in corrected.items()}
                | {"ece": _ece(left_out, matrix, draws, resampling)},
                _estimate(as_labelled["nll"] - of_raw["right"]["nll"], draws, resampling),
                _estimate(corrected["nll"] - of_raw["noise"]["nll"], draws, resampling),
            )
        )
    return tuple(found)


def _losses(rows: ClassCrossFitted, matrix: FloatArray) -> dict[str, FloatArray]:
    """Corrected loss of each row."""
    return {
        name: corrected_by(matrix, rows.labels, values)
        for name, values in class_losses(rows.predicted).items()
    }


def _resampled_shares(rows: ClassRows, resampling: Resampling) -> FloatArray:
    """Share of each row: in the rows themselves, and then in every resample."""
    shares = rows.weights / rows.n
    size = max(round(rows.n), 1)
    drawn = resampling.generator().multinomial(size, shares, resampling.n_resamples) / size
    return np.concatenate([shares[None], drawn])


def _estimate(values: FloatArray, draws: FloatArray, resampling: Resampling) -> Estimate:
    means = np.einsum("rn,n->r", draws, values, optimize=True)
    value = float(means[0])
    low, high = np.quantile(means[1:], resampling.tails)
    return Estimate(value, min(float(low), value), max(float(high), value))


def _ece(
    rows: ClassCrossFitted, matrix: FloatArray, draws: FloatArray, resampling: Resampling
) -> Estimate:
    found = [
        corrected_top_label_ece(rows.predicted, rows.labels, weights, matrix) for weights in draws
    ]
    low, high = np.quantile(found[1:], resampling.tails)
    return Estimate(found[0], min(float(low), found[0]), max(float(high), found[0]))
