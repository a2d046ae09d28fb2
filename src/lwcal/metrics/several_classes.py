"""Metrics of the probabilities of several classes.

Calibration errors and reliability curves need two classes. So :func:`top_label` asks of every row
whether its most probable class is right, and :func:`one_class` whether its class is a given one.
Both return a :class:`lwcal.ScoreTable`, which every other metric accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import InputError
from lwcal.metrics.calibration import adaptive_ece, ece
from lwcal.metrics.proper import CLIP_RULE, NLL_CLIP
from lwcal.metrics.smooth import smooth_ece
from lwcal.parameters import check_parameter
from lwcal.rows import ArrayLike, as_weights, check_same_length
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.classes import class_key
from lwcal.rows.probabilities import as_class_scores
from lwcal.rows.values import as_column
from lwcal.table import ScoreTable


class JudgedRows(NamedTuple):
    """Labels as numbers of columns, and probabilities that sum to 1."""

    labels: IndexArray
    probabilities: FloatArray
    weights: FloatArray
    classes: tuple[Any, ...]

    def mean(self, values: FloatArray) -> float:
        """Mean of rows."""
        return float(self.weights @ values / self.weights.sum())

    def log_losses(self, clip: float = NLL_CLIP) -> FloatArray:
        """Log loss of every row."""
        chosen = self.probabilities[np.arange(len(self.labels)), self.labels]
        return np.asarray(-np.log(np.clip(chosen, clip, 1.0 - clip)))

    def squared_errors(self) -> FloatArray:
        """Brier score of every row."""
        residuals = self.probabilities.copy()
        residuals[np.arange(len(self.labels)), self.labels] -= 1.0
        return np.asarray(np.einsum("nk,nk->n", residuals, residuals))

    def of_class(self, column: int) -> ScoreTable:
        """Table of one class against the rest."""
        positive = self.labels == column
        return ScoreTable.from_arrays(self.probabilities[:, column], positive, self.weights)

    def of_top_label(self) -> ScoreTable:
        """Table of the most probable class; see :func:`top_label`."""
        top = self.probabilities.argmax(axis=1)
        highest = self.probabilities.max(axis=1)
        return ScoreTable.from_arrays(highest, self.labels == top, self.weights)


def judged_rows(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
    *,
    label_name: str = "y_true",
    prob_name: str = "y_prob",
) -> JudgedRows:
    """Check labels and probabilities, and find the class of each column.

    ``label_name`` and ``prob_name`` are what messages call them.
    """
    values, names = as_class_scores(y_prob, name=prob_name)
    n, k = values.shape
    column = as_column(y_true, label_name)
    check_same_length(n, len(column), label_name)
    codes, known = as_class_labels(column, k, classes=classes, names=names, name=label_name)
    weights = np.ones(n) if sample_weight is None else as_weights(sample_weight, n)
    return JudgedRows(codes, values, weights, known)


def class_nll(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    clip: float = NLL_CLIP,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Log loss of several classes: mean of ``-log`` of the label's probability.

    Parameters
    ----------
    y_true : one-dimensional
        Labels, which count as the truth.
    y_prob : of shape (n, K)
        Probabilities of all classes.
    clip : float, default 1e-6
        Probabilities are first moved into [clip, 1 - clip].
    classes : sequence, optional
        Class of each column: by default, the names of the columns if they are the labels, with or
        without what all of them begin or end with, or else the labels in sorted order.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 counts as two equal rows.

    Examples
    --------
    >>> round(class_nll(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes="abc"), 3)
    0.458
    """
    check_parameter("clip", clip, CLIP_RULE)
    rows = judged_rows(y_true, y_prob, classes, sample_weight)
    return rows.mean(rows.log_losses(clip))


def class_brier(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Brier score of several classes: mean over rows of the squared differences, summed up.

    With two classes it is twice :func:`brier`, which looks at one of them.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in :func:`class_nll`.

    Examples
    --------
    >>> round(class_brier(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes="abc"), 3)
    0.22
    """
    rows = judged_rows(y_true, y_prob, classes, sample_weight)
    return rows.mean(rows.squared_errors())


def top_label(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreTable:
    """Table of the highest probability of every row, and whether that class is right.

    Its calibration error is the top-label error, which is what most people call the ECE of a model
    of several classes. Of several classes with the highest probability, the first one counts.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in :func:`class_nll`.

    Returns
    -------
    ScoreTable

    Examples
    --------
    >>> table = top_label(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes="abc")
    >>> round(ece(table), 3)
    0.35
    """
    return judged_rows(y_true, y_prob, classes, sample_weight).of_top_label()


def one_class(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    label: Any,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreTable:
    """Table of the probability of one class, against the rest.

    Parameters
    ----------
    label : object
        The class.
    y_true, y_prob, classes, sample_weight
        As in :func:`class_nll`.

    Returns
    -------
    ScoreTable

    Examples
    --------
    >>> table = one_class(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], "c", classes="abc")
    >>> table.scores, table.positives
    (array([0.2, 0.8]), array([0., 1.]))
    """
    rows = judged_rows(y_true, y_prob, classes, sample_weight)
    keys = [class_key(known) for known in rows.classes]
    if class_key(label) not in keys:
        shown = ", ".join(map(repr, rows.classes[:5]))
        raise InputError(f"{label!r} is not among the classes ({shown}).")
    return rows.of_class(keys.index(class_key(label)))


def class_evaluate(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Compute every metric of several classes.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in :func:`class_nll`.

    Returns
    -------
    dict of str to float
        ``nll`` and ``brier``; ``accuracy`` of the most probable class; ``top_label_ece``,
        ``top_label_adaptive_ece`` and ``top_label_smooth_ece``, by :func:`top_label`; and
        ``mean_class_ece``, the mean over the classes of the error by :func:`one_class`.

    Examples
    --------
    >>> values = class_evaluate(["a", "c"], [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], classes="abc")
    >>> values["accuracy"], round(values["mean_class_ece"], 3)
    (1.0, 0.233)
    """
    rows = judged_rows(y_true, y_prob, classes, sample_weight)
    given = rows.labels, rows.probabilities
    options: dict[str, Any] = {
        "classes": range(len(rows.classes)),
        "sample_weight": rows.weights,
    }
    top = rows.of_top_label()
    return {
        "nll": class_nll(*given, **options),
        "brier": class_brier(*given, **options),
        "accuracy": top.n_positive / top.n,
        "top_label_ece": ece(top),
        "top_label_adaptive_ece": adaptive_ece(top),
        "top_label_smooth_ece": smooth_ece(top),
        "mean_class_ece": float(np.mean([ece(rows.of_class(k)) for k in range(len(rows.classes))])),
    }
