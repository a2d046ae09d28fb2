"""Estimate label noise, of two classes or of more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lwcal.multiclass.class_noise import ClassNoiseEstimate, class_noise_from
from lwcal.multiclass.class_posterior import infer_classes
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale, required
from lwcal.multiclass.knowledge import NoiseKnowledge
from lwcal.noise.estimate import NoiseEstimate, estimate_table
from lwcal.noise.hypotheses import PRIOR_CLEAN, PRIOR_STRENGTH
from lwcal.noise.rates import Pair
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable, as_table


def estimate_noise(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    noise_rates: Pair | None = None,
    noise_matrix: ArrayLike | None = None,
    prior_rates: Sequence[float] | None = None,
    prior_strength: float = PRIOR_STRENGTH,
    prior_clean: float = PRIOR_CLEAN,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
    classes: Sequence[Any] | None = None,
) -> NoiseEstimate | ClassNoiseEstimate:
    """Estimate how many labels of each class are wrong, from scores and labels alone.

    The model is that of :class:`lwcal.NoiseAware`: what a label is depends on the true class
    only. Real noise often depends on more. Then these rates say little, and an audit of a few
    labels says more than any estimate.

    Parameters
    ----------
    scores : of shape (n,) or (n, K), or ScoreTable
        Scores of a model on rows it was not trained on: of the positive class, or of all
        classes; or rows of two classes, pooled.
    y : one-dimensional
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    noise_rates, noise_matrix, prior_rates, prior_strength, prior_clean
        Prior knowledge, as in :class:`lwcal.NoiseAware`.
    confidence : float, default 0.9
        Level of the credible intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores of one class; default: probability. Omitted with a ScoreTable.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.

    Returns
    -------
    NoiseEstimate or ClassNoiseEstimate
        Flip rates of two classes, or the noise matrix of more.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.3, 0.3, 4000)
    >>> truth = rng.beta(2, 2, 4000) < scores  # steeper than the score, as in most forests
    >>> labels = truth ^ (rng.random(4000) < 0.15)
    >>> estimate = estimate_noise(scores, labels)
    >>> estimate.identified, round(estimate.negative.value, 2), round(estimate.positive.value, 2)
    (True, 0.14, 0.15)
    >>> hard = estimate_noise(rng.uniform(0.3, 0.7, 4000), labels)
    >>> hard.identified, hard.rates
    (False, None)

    Of several classes, it is the matrix of labels by true classes:

    >>> truth = rng.dirichlet([0.1] * 3, 4000)
    >>> labels = (rng.random((4000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> labels[(labels == 2) & (rng.random(4000) < 0.3)] = 0
    >>> estimate_noise(truth, labels).matrix.round(1) + 0.0
    array([[1. , 0. , 0. ],
           [0. , 1. , 0. ],
           [0.3, 0. , 0.7]])
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    knowledge = NoiseKnowledge(
        noise_rates=noise_rates,
        noise_matrix=noise_matrix,
        prior_rates=prior_rates,
        prior_strength=prior_strength,
        prior_clean=prior_clean,
    )
    knowledge.check()
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        refuse_classes(classes)
        table = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
        return estimate_table(table, knowledge.of_two_classes(), confidence=confidence)
    refuse_scale(scale)
    rows = ClassRows.from_arrays(scores, required(y), sample_weight, classes=classes)
    if rows.n_classes == 2:
        return estimate_table(
            rows.two_class_table(), knowledge.of_two_classes(), confidence=confidence
        )
    posterior = infer_classes(rows, knowledge.of_classes(rows.n_classes))
    return class_noise_from(posterior, confidence=confidence)
