"""Compare calibrators of several classes on rows they did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_classes
from lwcal.diagnosis.comparison import N_RESAMPLES, Candidate, checked_methods
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses, corrected_top_label_ece
from lwcal.metrics.resampling import Resampling
from lwcal.multiclass.class_hypotheses import class_hypotheses
from lwcal.multiclass.class_noise import class_noise_from
from lwcal.multiclass.class_posterior import infer_classes
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.given_noise import as_noise_matrix
from lwcal.multiclass.label_correction import corrected_by
from lwcal.noise.estimate import estimate_table
from lwcal.rows import ArrayLike

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


def compare_classes(
    rows: ClassRows,
    methods: Iterable[str] = DEFAULT_CLASS_METHODS,
    *,
    noise_matrix: FloatArray | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    on_progress: Callable[[], None] = lambda: None,
) -> ClassComparison:
    """Cross-fit calibrators of more than two classes; see :func:`lwcal.compare`."""
    factories = class_factories(methods)
    if noise_matrix is None:
        noise_matrix = _estimated_matrix(rows)
    matrix = as_noise_matrix(noise_matrix, rows.n_classes)
    resampling = Resampling(confidence, n_resamples, random_state=0)
    found = judge_classes(factories, rows, matrix, resampling, on_progress)
    ranked = tuple(sorted(found, key=lambda candidate: candidate.corrected["nll"].value))
    return ClassComparison(rows.n, matrix, confidence, ranked)


def _estimated_matrix(rows: ClassRows) -> FloatArray:
    if rows.n_classes > 2:
        posterior = infer_classes(rows, class_hypotheses(rows.n_classes))
        return class_noise_from(posterior).expected_matrix
    r0, r1 = estimate_table(rows.two_class_table()).rates_posterior.mean()
    return np.array([[1.0 - r0, r0], [r1, 1.0 - r1]])


def judge_classes(
    calibrators: ClassFactories,
    rows: ClassRows,
    matrix: FloatArray,
    resampling: Resampling,
    on_progress: Callable[[], None] = lambda: None,
    known: Mapping[str, ClassCrossFitted] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """Cross-fit and judge calibrators, in the order given, unless their predictions are known."""
    fitted = {}
    for method, make in calibrators.items():
        fitted[method] = known[method] if method in known else cross_predict_classes(make, rows)
        on_progress()
    if not fitted:
        return ()
    some = next(iter(fitted.values()))
    draws = _resampled_shares(some.weights, resampling)
    right = np.eye(rows.n_classes)
    raw = some._replace(predicted=some.scores)
    raw_labelled, raw_corrected = (_losses(raw, noise)["nll"] for noise in (right, matrix))
    found = []
    for method, left_out in fitted.items():
        labelled, corrected = _losses(left_out, right), _losses(left_out, matrix)
        found.append(
            Candidate(
                method,
                {name: float(draws[0] @ loss) for name, loss in labelled.items()}
                | {"ece": _ece(left_out, right, draws[0])},
                {name: _estimate(draws @ loss, resampling) for name, loss in corrected.items()}
                | {"ece": _estimate([_ece(left_out, matrix, one) for one in draws], resampling)},
                _estimate(draws @ (labelled["nll"] - raw_labelled), resampling),
                _estimate(draws @ (corrected["nll"] - raw_corrected), resampling),
            )
        )
    return tuple(found)


def _losses(rows: ClassCrossFitted, matrix: FloatArray) -> dict[str, FloatArray]:
    """Corrected loss of each row."""
    return {
        name: corrected_by(matrix, rows.labels, values)
        for name, values in class_losses(rows.predicted).items()
    }


def _ece(rows: ClassCrossFitted, matrix: FloatArray, weights: FloatArray) -> float:
    return corrected_top_label_ece(rows.predicted, rows.labels, weights, matrix)


def _resampled_shares(weights: FloatArray, resampling: Resampling) -> FloatArray:
    """Share of each row: in the rows themselves, and then in every resample."""
    shares = weights / weights.sum()
    size = max(round(float(weights.sum())), 1)
    drawn = resampling.generator().multinomial(size, shares, resampling.n_resamples) / size
    return np.concatenate([shares[None], drawn])


def _estimate(values: ArrayLike, resampling: Resampling) -> Estimate:
    """The value of the rows, and the interval of the resamples."""
    value, drawn = float(values[0]), values[1:]
    low, high = np.quantile(drawn, resampling.tails)
    return Estimate(value, min(float(low), value), max(float(high), value))
