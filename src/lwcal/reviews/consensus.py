"""The true class of rows, given their scores and opinions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.multiclass.joint_fit import SOFTEST
from lwcal.reviews.opinion_likelihood import NEVER, Emission, OpinionLikelihood
from lwcal.reviews.opinion_rows import OpinionRows


class Consensus(NamedTuple):
    """What scores and opinions say together about each row.

    Attributes
    ----------
    labels : array of shape (n,)
        The most probable true class.
    probability : float64 array of shape (n,)
        Its probability.
    probabilities : float64 array of shape (n, K)
        Of all classes.
    gain_of_another : float64 array of shape (n,)
        How many nats one more opinion is expected to tell about the true class. Ask about rows
        with the highest.
    """

    labels: npt.NDArray[Any]
    probability: FloatArray
    probabilities: FloatArray
    gain_of_another: FloatArray


def truth_given_opinions(clean: FloatArray, rows: OpinionRows, emission: Emission) -> FloatArray:
    """Probability of each true class, of shape (n, K).

    Parameters
    ----------
    clean : float64 array of shape (n, K)
        Probability of each true class given the scores alone.
    rows : OpinionRows
        Opinions of reviewers whose matrices are known, by number.
    emission : Emission

    Examples
    --------
    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import coded
    >>> matrix = np.array([[[0.9, 0.1], [0.2, 0.8]]] * 2)
    >>> rows = coded(as_opinions([[1, 1], [0, 1]]))
    >>> truth_given_opinions(np.full((2, 2), 0.5), rows, Emission(matrix)).round(2)
    array([[0.02, 0.98],
           [0.36, 0.64]])
    """
    log_clean = np.log(np.maximum(clean, NEVER))
    return OpinionLikelihood(rows, SOFTEST).given(log_clean, emission).truth


def gain_of_another(truth: FloatArray, matrix: FloatArray) -> FloatArray:
    """Information in nats of one more opinion of a reviewer with this matrix.

    >>> gain_of_another(np.array([[0.5, 0.5], [0.9, 0.1]]), np.eye(2)).round(2)
    array([0.69, 0.33])
    """
    label = truth @ matrix
    of_truth = -(matrix * np.log(np.maximum(matrix, NEVER))).sum(axis=1)
    of_label = -(label * np.log(np.maximum(label, NEVER))).sum(axis=1)
    return np.asarray(np.maximum(of_label - truth @ of_truth, 0.0))
