"""What a classifier is fitted to: labels of any number of classes, and their weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message, offending_rows
from lwcal.rows import ArrayLike, is_missing

Array = npt.NDArray[Any]


class Target(NamedTuple):
    """Checked labels, and weights as the keyword argument of ``fit`` if there are any."""

    labels: Array
    weights: dict[str, FloatArray]

    def take(self, rows: Array) -> Target:
        """Only these rows."""
        weights = {name: values[rows] for name, values in self.weights.items()}
        return Target(self.labels[rows], weights)


def checked_labels(y: ArrayLike) -> Array:
    """Labels of any number of classes, none missing."""
    labels = np.asarray(column_or_1d(y, warn=True))
    bad = ~np.isfinite(labels) if labels.dtype.kind == "f" else is_missing(labels)
    if bad.any():
        got = offending_rows(bad, labels, "missing or infinite")
        raise InputError(message("a label in every row of y", got, "drop those rows first"))
    check_classification_targets(labels)
    return labels


def classes_to_learn(estimator: Any, target: Target) -> Array:
    """Classes of labels that a model is to be fitted to."""
    if target.weights and not has_fit_parameter(estimator, "sample_weight"):
        expected, got = "a model whose fit takes sample_weight", type(estimator).__name__
        hint = 'leave the weights out, or fit the model yourself and use cv="prefit"'
        raise ParameterError(message(expected, got, hint))
    classes = np.unique(target.labels)
    if len(classes) < 2:
        raise InputError(message("two classes or more", f"one class, {classes.tolist()}"))
    return classes


def classes_of_model(model: Any, labels: Array) -> Array:
    """Classes of a fitted model, among which the labels must be."""
    if not hasattr(model, "classes_"):
        hint = "fit it first, or let lwcal fit it on folds with cv=5"
        raise ParameterError(message("a fitted classifier", f"{model!r} without classes_", hint))
    classes = np.asarray(model.classes_)
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    if unknown:
        expected = f"labels among the classes of the model, {classes.tolist()}"
        raise InputError(message(expected, f"{unknown}", "write them as they were in its fit"))
    return classes


def require_classes(classes: Array, labels: Array, where: str, hint: str) -> None:
    """Refuse labels that lack a class."""
    for label in classes.tolist():
        if not (labels == label).any():
            raise InputError(message(f"class {label!r} in {where}", "no row of it", hint))
