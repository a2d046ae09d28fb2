"""Fit models on the training part of folds, and score the rows they did not see."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from lwcal.arrays import FloatArray
from lwcal.classifier.scores import model_scores
from lwcal.classifier.target import Array
from lwcal.errors import ParameterError


class Fold(NamedTuple):
    """Row numbers of both parts of a fold."""

    train: Array
    test: Array


class Task(NamedTuple):
    """The data for every fold."""

    X: Any
    labels: Array
    """As the model takes them."""
    classes: Array
    fit_parameters: dict[str, Any]


class HeldOut(NamedTuple):
    """A fitted model, and its scores of rows it did not see."""

    estimator: Any
    scores: FloatArray
    rows: Array


def split(cv: Any, X: Any, labels: Array, parameters: dict[str, Any]) -> list[Fold]:
    """Return the folds of a splitter, an iterable or a number; by default five."""
    from sklearn.model_selection import check_cv  # slow to import

    numbers = np.arange(len(labels))  # turns masks and slices into row numbers
    try:
        splits = check_cv(cv, labels, classifier=True).split(X, labels, **parameters)
        return [Fold(numbers[train], numbers[test]) for train, test in splits]
    except ValueError as error:
        raise ParameterError(f"cv={cv!r} cannot split these rows: {error}") from error


def fit_and_score(model: Any, task: Task, fold: Fold) -> HeldOut:
    """Fit a model to the training part, and score the held-out part."""
    train, test = fold
    parameters = _check_method_params(task.X, task.fit_parameters, train)  # indexes columns only
    model.fit(_safe_indexing(task.X, train), task.labels[train], **parameters)
    return HeldOut(model, model_scores(model, _safe_indexing(task.X, test), task.classes), test)


def scored_as_it_is(model: Any, task: Task) -> HeldOut:
    """Score all rows by a model that is already fitted."""
    scores = model_scores(model, task.X, task.classes)
    return HeldOut(model, scores, np.arange(len(task.labels)))


def refitted(model: Any, task: Task, folds: list[HeldOut]) -> HeldOut:
    """Fit one model to all rows, and pair it with the pooled scores of the folds."""
    model.fit(task.X, task.labels, **task.fit_parameters)
    scores = np.concatenate([fold.scores for fold in folds])
    return HeldOut(model, scores, np.concatenate([fold.rows for fold in folds]))


def takes_only_codes(estimator: Any) -> bool:
    """Tell whether a model, or the last step of a pipeline, takes only the labels 0 to K - 1."""
    steps = getattr(estimator, "steps", None)
    model = steps[-1][1] if steps else estimator
    return any(base.__module__.partition(".")[0] == "xgboost" for base in type(model).__mro__)
