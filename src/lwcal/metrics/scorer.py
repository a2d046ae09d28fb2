"""Noise-corrected scores for scikit-learn's cross-validation and search."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.errors import ParameterError, message
from lwcal.metrics.corrected import ESTIMATORS
from lwcal.metrics.inputs import as_metric_table
from lwcal.noise.rates import Noise, as_rate_posterior
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike


def corrected_scorer(metric: str, *, noise_rates: Noise, pos_label: Any = None) -> Any:
    """Make a scorer that judges a classifier against true labels, from noisy ones.

    ``cross_val_score``, ``cross_validate`` and ``GridSearchCV`` take it as ``scoring``. It is
    made by ``sklearn.metrics.make_scorer``: call it with ``(estimator, X, y)`` and optionally
    ``sample_weight``. Greater is better, so losses are negated.

    Parameters
    ----------
    metric : {"brier", "nll", "auc", "ece"}
        The metric, with the default options of :func:`corrected_evaluate`.
    noise_rates : pair (r0, r1), RatePosterior, or object with ``rates_posterior``
        Flip rates of the labels in all rows, those of the held-out part included.
    pos_label : optional
        The positive class. Labels other than numbers and booleans need it.

    Returns
    -------
    callable
        The scorer. It needs a classifier of two classes with ``predict_proba``. To compare
        calibrators, wrap them in :class:`lwcal.CalibratedClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from lwcal.noise import flip_labels
    >>> X, y = make_classification(2000, flip_y=0.2, random_state=0)
    >>> noisy = flip_labels(y, rate=0.2, random_state=0).labels
    >>> model = LogisticRegression()
    >>> scorer = corrected_scorer("auc", noise_rates=(0.2, 0.2))
    >>> print(cross_val_score(model, X, noisy, scoring="roc_auc").mean().round(1))
    0.7
    >>> print(cross_val_score(model, X, noisy, scoring=scorer).mean().round(1))
    0.9
    >>> print(cross_val_score(model, X, y, scoring="roc_auc").mean().round(1))  # true labels
    0.9
    """
    from sklearn.metrics import make_scorer  # slow to import

    check_parameter("metric", metric, OneOf(tuple(ESTIMATORS)))
    return make_scorer(
        corrected_value,
        greater_is_better=metric == "auc",
        response_method="predict_proba",
        metric=metric,
        noise_rates=as_rate_posterior(noise_rates),
        pos_label=pos_label,
    )


def corrected_value(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    metric: str,
    noise_rates: Noise,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Estimate one metric without its interval.

    >>> y, p = [0, 0, 0, 1] * 25, [0.1] * 100
    >>> round(corrected_value(y, p, metric="brier", noise_rates=(0.25, 0.25)), 3)
    0.01
    """
    if pos_label is None and np.asarray(y_true).dtype.kind not in "biuf":
        # scikit-learn takes the probabilities of the last class, in the order of the alphabet
        hint = "name the positive class in corrected_scorer"
        raise ParameterError(message("pos_label for labels that are texts", "None", hint))
    table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
    return ESTIMATORS[metric](table).of_data(table, as_rate_posterior(noise_rates).mean())
