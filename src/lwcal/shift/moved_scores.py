"""Whether so few new rows would show that scores moved, where a base rate seems to have changed.

If all scores rise by half a logit, the base rate seems to rise. Many rows show that no mixture of
the rows of the fit has such scores; few do not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from lwcal.adjustments import percent
from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.numerics.rounding import up_to_two_digits
from lwcal.reference import Reference
from lwcal.shift.label_mixture import LabelMixture, fit_mixture
from lwcal.shift.verdicts import ALPHA, MOVED, interval_of

FARTHEST = 3.0
"""Log-odds beyond which scores do not move for no reason."""
MANY = 1_000_000
"""New rows that nobody waits for."""
STEP = 1.25
"""Ratio of the numbers of rows that are tried."""
CLIP = 1e-9


class Unnoticed(NamedTuple):
    """A move of all scores that would look like the new base rate.

    Attributes
    ----------
    move : float
        Of the log-odds of all scores.
    needed : int or None
        New rows that would show it; None if the rows of the fit are too few for that.
    """

    move: float
    needed: int | None

    def sentence(self, before: float, now: Estimate, n: float, fitted: float) -> str:
        """Why the calibrator is not adapted.

        Parameters
        ----------
        before : float
            Base rate of the fit.
        now : Estimate
            That of the new rows, if only it changed.
        n, fitted : float
            Number of new rows, and of those of the fit.
        """
        change = f"from {percent(before)} to {percent(now.value)} ({interval_of(now)})"
        same = (
            f"The base rate may have changed {change}, or all scores may have moved by "
            f"{abs(self.move):.1f} in log-odds: {n:,.0f} new rows are too few to tell"
        )
        if self.needed is None:
            same = f"{same}, and with only {fitted:,.0f} rows in the fit, more would not help"
            hint = "Fit a calibrator to more rows, or give the base rate if it is known."
        else:
            same = f"{same}; about {self.needed:,.0f} would"
            hint = "Wait for more rows, or give the base rate if it is known."
        return f"{same}. So the calibrator is not adapted. {hint}"


def unnoticed_move(
    reference: Reference, mixture: LabelMixture, n: float, smaller: float
) -> Unnoticed | None:
    """Find a harmful move that explains new scores as well as a base rate, and would not be seen.

    Parameters
    ----------
    reference : Reference
        Rows of the fit.
    mixture : LabelMixture
        What explains the new scores, if only the base rate changed.
    n : float
        Number of new rows.
    smaller : float
        Share of the smaller class among them.

    Returns
    -------
    Unnoticed or None
        None if so many rows would show it, if it would do no harm, or if no move of scores looks
        like this.
    """
    weights = reference.negatives + reference.positives
    labelled = float(reference.positives.sum() / weights.sum())
    end = np.copysign(FARTHEST, mixture.share - labelled)

    def seen(move: float, rows: float) -> LabelMixture:
        return fit_mixture(reference, rows * _moved(reference, weights, move))

    def missing(move: float) -> float:
        return float(seen(move, n).share - mixture.share)

    if missing(0.0) * missing(end) >= 0.0:
        return None
    move = float(brentq(missing, 0.0, end, xtol=0.01))
    if seen(move, n).p_value < ALPHA or seen(move, MANY).distance <= MOVED * smaller:
        return None
    rows = n
    while rows < MANY:
        rows *= STEP
        if seen(move, rows).p_value < ALPHA:
            return Unnoticed(move, up_to_two_digits(rows))
    return Unnoticed(move, None)


def _moved(reference: Reference, weights: FloatArray, move: float) -> FloatArray:
    """Share of the rows in each bin after a move of the log-odds; within bins they lie evenly."""
    places = logit(np.clip(reference.edges, CLIP, 1.0 - CLIP))
    if not len(places):
        return np.ones(1)
    first, last = logit(np.clip(reference.scores[[0, -1]], CLIP, 1.0 - CLIP))
    # the mean of the first and of the last bin is in their middle
    ends = min(2.0 * first - places[0], first), max(2.0 * last - places[-1], last)
    places = np.concatenate([[ends[0]], places, [ends[1]]])
    below = np.concatenate([[0.0], np.cumsum(weights) / weights.sum()])
    return np.diff(np.concatenate([[0.0], np.interp(places[1:-1] - move, places, below), [1.0]]))
