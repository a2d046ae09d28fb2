"""The true class of rows, given their scores and opinions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray
from lwcal.class_maps import ScalingMap
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


class Explanation(NamedTuple):
    """One way in which scores, truth and opinions may belong together.

    Attributes
    ----------
    probability : float
        Of this one among all.
    scaling : ScalingMap
        From scores to the probability of each true class.
    emission : Emission
        From true classes to opinions: matrices of each reviewer, or one of all.
    """

    probability: float
    scaling: ScalingMap
    emission: Emission

    def truth(self, opinions: OpinionLikelihood, label_shares: FloatArray) -> FloatArray:
        """Probability of each true class given scores and opinions, of shape (n, K).

        Parameters
        ----------
        opinions : OpinionLikelihood
            Of reviewers by number; the number after the last is for those who are not known.
        label_shares : float64 array
            Share of all labels that each reviewer gave. Reviewers who are not known are taken for
            average ones.
        """
        known = np.broadcast_to(
            self.emission.matrices, (len(label_shares), *self.emission.matrices.shape[1:])
        )
        average = np.tensordot(label_shares, known, 1)
        emission = self.emission._replace(matrices=np.concatenate([known, average[None]]))
        clean = self.scaling.apply_unchecked(opinions.rows.scores)
        return opinions.given(np.log(np.maximum(clean, NEVER)), emission).truth


def truth_given_opinions(
    rows: OpinionRows, explanations: Sequence[Explanation], label_shares: FloatArray
) -> FloatArray:
    """Probability of each true class, averaged over explanations, of shape (n, K).

    Each explanation has a scaling and matrices that belong together: a scaling of one with the
    matrices of another would trust opinions too much.

    Examples
    --------
    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import coded
    >>> rows = coded(as_opinions([[1, 1], [0, 1]]))
    >>> same = ScalingMap(np.eye(2), np.zeros(2), 1e-9)
    >>> often = Emission(np.array([[[0.9, 0.1], [0.2, 0.8]]]))
    >>> seldom = Emission(np.array([[[0.99, 0.01], [0.01, 0.99]]]))
    >>> views = [Explanation(0.5, same, often), Explanation(0.5, same, seldom)]
    >>> truth_given_opinions(rows, views, np.array([0.5, 0.5])).round(2)
    array([[0.01, 0.99],
           [0.43, 0.57]])
    """
    opinions = OpinionLikelihood(rows, SOFTEST)  # every explanation has its own scaling instead
    parts = [one.probability * one.truth(opinions, label_shares) for one in explanations]
    return np.asarray(np.sum(parts, axis=0))


def gain_of_another(truth: FloatArray, matrix: FloatArray) -> FloatArray:
    """Information in nats of one more opinion of a reviewer with this matrix.

    >>> gain_of_another(np.array([[0.5, 0.5], [0.9, 0.1]]), np.eye(2)).round(2)
    array([0.69, 0.33])
    """
    label = truth @ matrix
    of_truth = -(matrix * np.log(np.maximum(matrix, NEVER))).sum(axis=1)
    of_label = -(label * np.log(np.maximum(label, NEVER))).sum(axis=1)
    return np.asarray(np.maximum(of_label - truth @ of_truth, 0.0))
