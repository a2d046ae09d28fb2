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
from lwcal.calibrators.class_crossfit import (
    ClassCrossFitted,
    cross_predict_classes,
    cross_predict_maps,
)
from lwcal.diagnosis.comparison import N_RESAMPLES, Candidate, checked_methods, not_negative
from lwcal.diagnosis.right_scores import Explained, right_scores
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.calibration import ece
from lwcal.metrics.class_corrected import class_losses, mean_estimate
from lwcal.metrics.corrected_classes import corrected_class_metrics
from lwcal.metrics.plausible_noise import (
    InverseNoise,
    drawn_pairs,
    inferred_noise,
    known_noise,
)
from lwcal.metrics.resampling import Resampling
from lwcal.metrics.several_classes import JudgedRows
from lwcal.multiclass.class_hypotheses import class_hypotheses
from lwcal.multiclass.class_noise import class_noise_from
from lwcal.multiclass.class_posterior import infer_classes
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.label_correction import loss_moments
from lwcal.noise.estimate import estimate_table

DEFAULT_CLASS_METHODS = (
    *("identity", "temperature", "vector-scaling", "matrix-scaling", "noise-aware", "auto"),
)
"""Calibrators of several classes that are compared by default."""
METRICS = {"brier": "brier", "nll": "nll", "ece": "top_label_ece"}
"""Metrics of a candidate, and their names among those of several classes."""

ClassFactories: TypeAlias = Mapping[str, Callable[[], ClassCalibrator]]


@dataclass(frozen=True)
class ClassComparison:
    """Several calibrators on the same rows of several classes.

    Attributes
    ----------
    n : float
        Number of rows, or their total weight.
    noise_matrix : float64 array of shape (K, K)
        Expected noise matrix behind the corrected metrics. If it is estimated, it is averaged with
        "no label is wrong", and the intervals hold what is not known of it.
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
    known: Mapping[str, ClassCrossFitted] = {}
    if noise_matrix is None:
        noise, known = _noise_and_predictions(rows)
    else:
        noise = known_noise(noise_matrix, rows.n_classes)
    resampling = Resampling(confidence, n_resamples, random_state=0)
    found = judge_classes(factories, rows, noise, resampling, on_progress, known)
    ranked = tuple(sorted(found, key=lambda candidate: candidate.corrected["nll"].value))
    expected = np.asarray(np.linalg.inv(noise.expected))
    return ClassComparison(rows.n, expected, confidence, ranked)


def noise_of_labels(rows: ClassRows) -> InverseNoise:
    """Noise matrices that the labels allow, also those beside right scores."""
    return _noise_and_predictions(rows)[0]


def _noise_and_predictions(
    rows: ClassRows,
) -> tuple[InverseNoise, Mapping[str, ClassCrossFitted]]:
    """The noise, and the cross-fitted predictions that it took to find it, by their calibrator."""
    if rows.n_classes == 2:
        return drawn_pairs(estimate_table(rows.two_class_table()).rates_posterior), {}
    hypotheses = class_hypotheses(rows.n_classes)
    posterior = infer_classes(rows, hypotheses)
    noise = class_noise_from(posterior)
    left_out = cross_predict_maps(
        lambda part: {"noise-aware": infer_classes(part, hypotheses).scaling}, posterior.rows
    )
    right = right_scores(Explained(*left_out["noise-aware"]), noise.expected_matrix)
    matrices = inferred_noise(posterior, noise, None if right is None else right.matrix)
    return matrices, left_out if posterior.rows is rows else {}


def judge_classes(
    calibrators: ClassFactories,
    rows: ClassRows,
    noise: InverseNoise,
    resampling: Resampling,
    on_progress: Callable[[], None] = lambda: None,
    known: Mapping[str, ClassCrossFitted] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """Cross-fit and judge calibrators, in the order given, unless their predictions are known."""
    found = []
    for method, make in calibrators.items():
        fitted = known[method] if method in known else cross_predict_classes(make, rows)
        found.append(_judged(method, fitted, rows.classes, noise, resampling))
        on_progress()
    return tuple(found)


def _judged(
    method: str,
    fitted: ClassCrossFitted,
    classes: tuple[Any, ...],
    noise: InverseNoise,
    resampling: Resampling,
) -> Candidate:
    predicted = JudgedRows(fitted.labels, fitted.predicted, fitted.weights, classes)
    corrected = corrected_class_metrics(predicted, noise, resampling)
    as_labelled = known_noise(np.eye(len(classes)), len(classes))
    return Candidate(
        method,
        {
            "brier": predicted.mean(predicted.squared_errors()),
            "nll": predicted.mean(predicted.log_losses()),
            "ece": ece(predicted.of_top_label()),
        },
        {name: not_negative(corrected[metric]) for name, metric in METRICS.items()},
        *(_change(fitted, one, resampling) for one in (as_labelled, noise)),
    )


def _change(rows: ClassCrossFitted, noise: InverseNoise, resampling: Resampling) -> Estimate:
    """Log loss less that of the raw score. The rows are the same, so what they share cancels."""
    new, raw = (class_losses(p)["nll"] for p in (rows.predicted, rows.scores))
    expected, *plausible = (
        loss_moments(inverse, rows.labels, new - raw, rows.weights)
        for inverse in (noise.expected, *noise.plausible)
    )
    return mean_estimate(expected, plausible, resampling)
