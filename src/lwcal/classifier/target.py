"""Labels of any number of classes, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from lwcal.errors import InputError, ParameterError, message, offending_rows
from lwcal.rows import ArrayLike, is_missing

Array = npt.NDArray[Any]


def checked_labels(y: ArrayLike) -> Array:
    """Return labels of any number of classes, none of them missing."""
    if y is None:
        raise InputError("CalibratedClassifier requires y to be passed, but the target y is None.")
    labels = np.asarray(column_or_1d(y, warn=True))
    bad = ~np.isfinite(labels) if labels.dtype.kind == "f" else is_missing(labels)
    if bad.any():
        got = offending_rows(bad, labels, "missing or infinite")
        raise InputError(message("a label in every row of y", got, "drop those rows first"))
    check_classification_targets(labels)
    return labels


def classes_to_learn(labels: Array) -> Array:
    """Return the classes of labels to which a model will be fitted."""
    classes = np.unique(labels)
    if len(classes) < 2:
        raise InputError(message("two classes or more", f"one class, {classes.tolist()}"))
    return classes


def classes_of_model(model: Any, labels: Array) -> Array:
    """Return the classes of a fitted model, and refuse labels that are not among them."""
    if not hasattr(model, "classes_"):
        hint = "fit the model before you freeze it, or pass it without FrozenEstimator"
        raise ParameterError(message("a fitted classifier", f"{model!r} without classes_", hint))
    classes = np.asarray(model.classes_)
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    if unknown:
        expected = f"labels among the classes of the model, {classes.tolist()}"
        hint = "write the labels as in the fit of the model"
        raise InputError(message(expected, f"{unknown}", hint))
    return classes


def require_classes(classes: Array, labels: Array, where: str, hint: str) -> None:
    """Refuse labels that lack a class."""
    for label in classes.tolist():
        if not (labels == label).any():
            raise InputError(message(f"class {label!r} in {where}", "no row of it", hint))
