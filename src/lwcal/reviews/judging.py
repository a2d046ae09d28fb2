"""By which fits reviewers are judged: with errors that they share, and without."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.kernels.importance import normalise
from lwcal.reviews.hypotheses import HARD_ROWS
from lwcal.reviews.inference import ReviewComponent, ReviewPosterior

LEAST_SHARED = 0.5
"""Weight of errors that reviewers share in reported intervals, at least. Opinions hardly tell
whether there are such errors, and intervals have to hold in both cases."""


class Judging(NamedTuple):
    """Fits by which reviewers are judged, and the weight of each."""

    components: tuple[ReviewComponent, ...]
    weights: FloatArray


def judging_of(posterior: ReviewPosterior) -> Judging:
    """Put half of the weight or more on fits with errors that reviewers share, if there are some.

    It is more if the opinions speak for such errors.
    """
    components = posterior.judged or posterior.components
    log_weights = np.array([one.log_weight for one in components])
    noisy = np.array([not one.fit.is_noiseless for one in components])
    hard = np.array([HARD_ROWS in one.name for one in components])
    weights = normalise(np.where(noisy, log_weights, -np.inf))
    kinds = hard & noisy, ~hard & noisy
    if all(kind.any() for kind in kinds) and weights[hard].sum() < LEAST_SHARED:
        shared, alone = (normalise(np.where(kind, log_weights, -np.inf)) for kind in kinds)
        weights = LEAST_SHARED * shared + (1.0 - LEAST_SHARED) * alone
    return Judging(components, weights)
