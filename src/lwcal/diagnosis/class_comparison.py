"""Compare calibrators of several classes on rows they did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS, ClassCalibrator
from lwcal.calibrators.crossfit import FOLDS, dealt
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.class_intervals import class_intervals, mean_interval
from lwcal.metrics.intervals import CONFIDENCE
from lwcal.metrics.several_classes import JudgedRows
from lwcal.multiclass.class_rows import ClassRows


@dataclass(frozen=True)
class ClassCandidate:
    """One cross-fitted calibrator.

    Attributes
    ----------
    method : str
        Its name on the command line.
    metrics : dict of str to Estimate
        Of the rows left out, with every label taken as right.
    change : Estimate
        Log loss less that of the raw scores on the same rows; below 0, the calibrator improves.
    """

    method: str
    metrics: dict[str, Estimate]
    change: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "method": self.method,
            "labelled": {name: value.to_dict() for name, value in self.metrics.items()},
            "nll_less_raw": {"labelled": self.change.to_dict()},
        }


@dataclass(frozen=True)
class ClassComparison:
    """Several calibrators on the same rows, the lowest log loss first."""

    n: float
    confidence: float
    candidates: tuple[ClassCandidate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "n": self.n,
            "confidence": self.confidence,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def compare_classes(
    rows: ClassRows, methods: Iterable[str], on_progress: Callable[[], None] = lambda: None
) -> ClassComparison:
    """Cross-fit calibrators, and compare them with the raw scores; every label counts as right.

    Parameters
    ----------
    rows : ClassRows
    methods : iterable of str
        Names of calibrators that take several classes.
    on_progress : callable, optional
        Called without arguments after each calibrator.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.5, 0.5, 0.5], 1000)
    >>> labels = (rng.random((1000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> sharp = truth**3 / (truth**3).sum(axis=1, keepdims=True)
    >>> found = compare_classes(ClassRows.from_arrays(sharp, labels), ["identity", "temperature"])
    >>> [candidate.method for candidate in found.candidates]
    ['temperature', 'identity']
    """
    parts = list(_split(rows)) or [(rows, rows)]
    raw = _joined([test for _, test in parts], [test.scores for _, test in parts])
    candidates = []
    for method in methods:
        made = _made(method)
        predicted = [
            made().fit_rows(train).class_score_map().apply_unchecked(test.scores)
            for train, test in parts
        ]
        found = raw._replace(probabilities=np.concatenate(predicted))
        change = mean_interval(found.log_losses() - raw.log_losses(), raw.weights)
        candidates.append(ClassCandidate(method, class_intervals(found), change))
        on_progress()
    ranked = sorted(candidates, key=lambda candidate: candidate.metrics["nll"].value)
    return ClassComparison(rows.n, CONFIDENCE, tuple(ranked))


def _made(method: str) -> type[ClassCalibrator]:
    made = CALIBRATORS[method]
    if not issubclass(made, ClassCalibrator):
        raise ParameterError(message("calibrators that take several classes", f"{method!r}"))
    return made


def _split(rows: ClassRows) -> Iterator[tuple[ClassRows, ClassRows]]:
    """Deal rows to folds, and yield the other rows with each fold.

    Rows are in the order of their labels, so every fold has the same mix of them. A fold is
    skipped if the others would have one class only.
    """
    for fold in range(FOLDS):
        inside = dealt(rows.weights, fold, FOLDS)
        train, test = _weighted(rows, rows.weights - inside), _weighted(rows, inside)
        if len(test.labels) and len(np.unique(train.labels)) > 1:
            yield train, test


def _weighted(rows: ClassRows, weights: FloatArray) -> ClassRows:
    kept = weights > 0.0
    return replace(rows, scores=rows.scores[kept], labels=rows.labels[kept], weights=weights[kept])


def _joined(parts: list[ClassRows], scores: list[FloatArray]) -> JudgedRows:
    return JudgedRows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate(scores),
        np.concatenate([part.weights for part in parts]),
        parts[0].classes,
    )
