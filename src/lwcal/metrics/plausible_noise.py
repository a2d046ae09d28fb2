"""Noise of several classes in any form, as matrices that are plausible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.multiclass.class_posterior import ClassPosterior
from lwcal.multiclass.given_noise import as_noise_matrix
from lwcal.multiclass.label_correction import inverse_of
from lwcal.multiclass.matrix_draws import MOST_CLASSES_OF_DRAWS, noise_matrices
from lwcal.noise.rates import RatePosterior
from lwcal.rows.classes import class_key
from lwcal.rows.column_classes import places_by_name

N_MATRICES = 21
"""Plausible matrices of an estimate: enough for its quantiles, few enough for a thousand
classes."""
N_DRAWS = 100
"""Plausible pairs of flip rates: a matrix of two classes takes no time."""
RIGHT_SHARE = 0.25
"""Share of the plausible matrices under which the raw scores are right, if labels allow that."""
NO_INVERSE = "the classes that have the same labels cannot be told apart by labels"


class InverseNoise(NamedTuple):
    """Inverses of noise matrices.

    Attributes
    ----------
    expected : float64 array of shape (K, K)
        Of the expected matrix.
    plausible : tuple of float64 arrays of shape (K, K)
        Of matrices that are equally plausible; one if the matrix is known.
    """

    expected: FloatArray
    plausible: tuple[FloatArray, ...]


def estimate_in(noise: Any) -> ClassNoiseEstimate | None:
    """The estimate that a calibrator holds, or the estimate itself; None for a matrix.

    >>> estimate_in([[0.9, 0.1], [0.2, 0.8]]) is None
    True
    """
    held = getattr(noise, "noise_", noise)
    if isinstance(held, ClassNoiseEstimate):
        return held
    if isinstance(noise, np.ndarray | list | tuple):
        return None
    got = type(noise).__name__ + ("" if held is noise else f" with {type(held).__name__}")
    expected = "a noise matrix, or an estimate of the noise of more than two classes"
    hint = "use a fitted NoiseAware or Auto, or lwcal.estimate_noise"
    raise ParameterError(message(expected, got, hint))


def known_noise(matrix: Any, n_classes: int) -> InverseNoise:
    """Take a matrix as known."""
    inverse = np.asarray(np.linalg.inv(as_noise_matrix(matrix, n_classes)))
    return InverseNoise(inverse, (inverse,))


def drawn_pairs(rates: RatePosterior) -> InverseNoise:
    """Draw matrices of two classes, the negative one first, from a posterior of flip rates.

    >>> rates = RatePosterior(points=[[0.0, 0.0], [0.1, 0.2]], weights=[0.5, 0.5])
    >>> sorted({float(np.linalg.inv(one)[1, 0].round(2)) for one in drawn_pairs(rates).plausible})
    [0.0, 0.2]
    """
    drawn = rates.draw(N_DRAWS, np.random.default_rng(0))
    expected, *plausible = (
        np.asarray(np.linalg.inv([[1.0 - r0, r0], [r1, 1.0 - r1]]))
        for r0, r1 in (rates.mean(), *drawn)
    )
    return InverseNoise(expected, tuple(plausible))


def inferred_noise(
    posterior: ClassPosterior,
    estimate: ClassNoiseEstimate,
    if_right: FloatArray | None = None,
) -> InverseNoise:
    """Draw matrices from a posterior, and take the expected one from the estimate.

    Some have no wrong label, as often as that is probable. With very many classes they are drawn
    from the estimate, because the posterior cannot be. Labels often do not tell wrong labels from
    a bad model. So a quarter of the matrices is ``if_right``, if it is given: the one under which
    the raw scores are right.
    """
    too_many = posterior.rows.n_classes > MOST_CLASSES_OF_DRAWS
    drawn = [] if too_many else noise_matrices(posterior)
    if drawn:
        plausible = tuple(np.asarray(np.linalg.inv(matrix)) for matrix in drawn)
        found = InverseNoise(_expected(estimate), plausible)
    else:
        found = estimated_noise(estimate, posterior.rows.classes)
    inverse = None if if_right is None else inverse_of(if_right)
    if inverse is None:
        return found
    times = ceil(len(found.plausible) * RIGHT_SHARE / (1.0 - RIGHT_SHARE))
    return found._replace(plausible=(*found.plausible, *[inverse] * times))


def estimated_noise(estimate: ClassNoiseEstimate, classes: Sequence[Any]) -> InverseNoise:
    """Draw matrices from an estimate, with rows and columns in the order of the classes.

    Some have no wrong label, as often as that is probable. The others have more or fewer wrong
    labels than expected, as the interval of their share says; or many more or none, where their
    share is not identified. Where wrong labels go is taken as estimated.
    """
    order = _order(estimate, classes)
    expected = _expected(estimate)
    # a matrix without an inverse tells nothing of the truth
    drawn = [inverse for inverse in map(inverse_of, _matrices(estimate)) if inverse is not None]
    drawn = drawn or [expected]
    return InverseNoise(
        expected[np.ix_(order, order)], tuple(one[np.ix_(order, order)] for one in drawn)
    )


def _expected(estimate: ClassNoiseEstimate) -> FloatArray:
    inverse = inverse_of(estimate.expected_matrix)
    if inverse is None:
        raise ParameterError(message("noise with an inverse matrix", "none", NO_INVERSE))
    return inverse


def _matrices(estimate: ClassNoiseEstimate) -> Iterator[FloatArray]:
    right = np.eye(len(estimate.classes))
    wrong = estimate.matrix - right
    most = 1.0 / max(float(-np.diagonal(wrong).min()), 0.5)  # no share may exceed 1
    for strength in _strengths(estimate):
        yield right + np.clip(strength, 0.0, most) * wrong


def _strengths(estimate: ClassNoiseEstimate) -> FloatArray:
    """Numbers of wrong labels, relative to the expected one, at even quantiles."""
    places = (np.arange(N_MATRICES) + 0.5) / N_MATRICES
    clean = estimate.probability_clean
    given_noise = np.clip((places - clean) / max(1.0 - clean, 1e-12), 1e-12, 1.0 - 1e-12)
    return np.where(places < clean, 0.0, 1.0 + _spread(estimate) * ndtri(given_noise))


def _spread(estimate: ClassNoiseEstimate) -> float:
    """Standard deviation of the number of wrong labels, relative to the expected one."""
    expected, low, high = estimate.wrong.value, estimate.wrong.low, estimate.wrong.high
    if expected is None:  # not identified: from no wrong label to several times as many
        return 1.0
    half = (high - low) / 2.0 / float(ndtri(0.5 + estimate.confidence / 2.0))
    return half / expected if expected > 0.0 else 0.0


def _order(estimate: ClassNoiseEstimate, classes: Sequence[Any]) -> list[int]:
    place = {class_key(label): k for k, label in enumerate(estimate.classes)}
    keys = [class_key(label) for label in classes]
    if set(keys) != set(place):
        unknown = [label for label in classes if class_key(label) not in place]
        got = f"{len(keys):,} classes" + (
            f", of which {unknown[0]!r} is another" if unknown else ""
        )
        expected = f"the {len(place):,} classes of the noise estimate in y_prob"
        raise ParameterError(message(expected, got))
    return [place[key] for key in keys]


def classes_of_columns(
    estimate: ClassNoiseEstimate, names: Sequence[str] | None
) -> tuple[Any, ...]:
    """Classes of columns: by their names if they are the classes, or else in their order."""
    places = None if names is None else places_by_name(names, estimate.classes)
    if places is None:
        return estimate.classes
    class_at = dict(zip(places, estimate.classes, strict=True))
    return tuple(class_at[place] for place in range(len(places)))
