"""Labels of any number of classes, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from lwcal.calibrators import Calibrator
from lwcal.errors import InputError, ParameterError, message, offending_rows
from lwcal.rows import ArrayLike, is_missing
from lwcal.rows.classes import class_key, obvious_pair

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


def check_rates(calibrator: Calibrator, classes: Array) -> None:
    """Refuse flip rates of two classes of which the positive one is not the second, or not known.

    >>> from lwcal import NoiseAware
    >>> check_rates(NoiseAware(noise_rates=(0.0, 0.3), pos_label="good"), np.array(["bad", "good"]))
    """
    calibrator.check_parameters()
    given = (getattr(calibrator, name, None) for name in ("noise_rates", "prior_rates"))
    if len(classes) != 2 or all(rates is None or len({*rates}) == 1 for rates in given):
        return  # equal rates say the same of both classes
    first, second = classes.tolist()
    pair = obvious_pair([class_key(first), class_key(second)])
    named = calibrator.pos_label
    positive = class_key(named) if named is not None else pair and pair[1]
    if positive != class_key(second):
        expected = f"flip rates with the positive class {second!r}, whose scores are calibrated"
        hint = (
            f"give first the share of {first!r} labelled {second!r}, then that of {second!r} "
            f"labelled {first!r}, and pos_label={second!r}"
        )
        raise ParameterError(message(expected, f"pos_label={named!r}", hint))


def require_classes(classes: Array, labels: Array, where: str, hint: str) -> None:
    """Refuse labels that lack a class."""
    for label in classes.tolist():
        if not (labels == label).any():
            raise InputError(message(f"class {label!r} in {where}", "no row of it", hint))
