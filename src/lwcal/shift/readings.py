"""How far a base rate can be changed without harm, however many labels of the fit are wrong.

A base rate follows from new scores only with the flip rates, and labels alone hardly show these.
But labels limit them: where the fewest labels are positive, they are positive at least as often as
negatives are mislabelled. Every pair of flip rates within the limits is a possible reading of the
labels. Each has a base rate of its own, and a loss of its own if the calibrator is adapted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np
from scipy.special import expit, logit

from lwcal.arrays import FloatArray
from lwcal.calibrators import Isotonic
from lwcal.noise.rates import RatePosterior
from lwcal.numerics.quantiles import weighted_quantiles
from lwcal.reference import Reference
from lwcal.shift.base_rate import LEAST_SHARE, TruePositives, is_share
from lwcal.shift.label_mixture import SIGMAS, LabelMixture, fit_mixture, group_starts

GROUPS = 20
"""Groups of neighbouring scores in which labels are counted."""
MOST_NOISE = 0.2
"""Largest flip rate that is read into labels. With more, on development tasks, hardly any base rate
was adapted; with less, adapted calibrators were often worse than before."""
PARTS = np.linspace(0.0, 1.0, 5)
"""Parts of the largest flip rates that are read."""
HARM = 0.02
"""Relative rise of the log loss that counts as none."""
PRICE = 0.1
"""Part of the gain, if the labels are what the calibrator takes them for, that may be lost if they
are not. On development tasks, more hardly gained anything, and with less a base rate that falls to
a tenth was adapted by half."""
STEPS = np.linspace(0.0, 1.0, 21)
"""Parts of a change that are tried."""
BELIEVED = 0.001, 0.25, 0.5, 0.75, 0.999
"""Quantiles of both flip rates that are read where labels were checked. The lowest matters most
where few negatives were kept: each missed positive then stands for many."""
DRAWS = 8
"""Other samples of the fit whose labels are read."""


class Readings(NamedTuple):
    """Possible readings of the labels; at least one.

    Attributes
    ----------
    base_rates : float64 array
        Base rate of the new rows under each reading.
    truth : float64 array of one row a reading and one column a bin
        Probability that a new row of the bin is positive.
    weights : float64 array
        Share of the new rows in each bin.
    """

    base_rates: FloatArray
    truth: FloatArray
    weights: FloatArray

    @classmethod
    def of(
        cls,
        reference: Reference,
        new: FloatArray,
        mixture: LabelMixture,
        believed: RatePosterior | None = None,
    ) -> Self | None:
        """Read the labels of a fit in every possible way; None if there is no such way.

        That is done again with other rows that the fit could have had, because true positives may
        be few, and nobody knows how many.

        Parameters
        ----------
        reference : Reference
            Rows of the fit, by label.
        new : float64 array
            Weight of the new rows in each bin of the reference.
        mixture : LabelMixture
            What explains them.
        believed : RatePosterior, optional
            Flip rates by checked labels, which rule out most others.
        """
        drawn = [(other, fit_mixture(other, new)) for other in _drawn_again(reference)]
        found = [
            cls._of_rows(rows, new, mixture, believed)
            for rows, mixture in [(reference, mixture), *drawn]
        ]
        possible = [one for one in found if one is not None]
        if not possible:
            return None
        base_rates, truth, weights = zip(*possible, strict=True)
        return cls(np.concatenate(base_rates), np.concatenate(truth), weights[0])

    @classmethod
    def _of_rows(
        cls,
        reference: Reference,
        new: FloatArray,
        mixture: LabelMixture,
        believed: RatePosterior | None,
    ) -> Self | None:
        table = reference.table()
        labelled = table.base_rate
        rates = _all_rates(reference) if believed is None else _believed_rates(believed)
        shares = mixture.share + SIGMAS * mixture.error * np.array([-1.0, 0.0, 1.0])
        negative, positive = np.repeat(rates, len(shares), axis=0).T
        share = np.tile(shares, len(rates))
        true = TruePositives.of(labelled, negative, positive)
        now = true.among_negative + share * (true.among_positive - true.among_negative)
        possible = true.sane & is_share(now)
        if not possible.any():
            return None
        now, truly, negative, kept = (
            column[possible, None]
            for column in (now, true.share, negative, 1.0 - negative - positive)
        )
        clean = _bounded((_positive_rates(reference) - negative) / kept)
        truth = expit(logit(clean) + logit(now) - logit(truly))
        return cls(now[:, 0], truth, new / new.sum())

    @classmethod
    def of_all_rows(
        cls, reference: Reference, inverse: FloatArray, believed: RatePosterior | None = None
    ) -> Self:
        """Read the labels of sampled rows in every possible way, and undo the sampling.

        Parameters
        ----------
        reference : Reference
            Sampled rows, by label.
        inverse : (2,) float64 array
            How many rows with a negative and with a positive label a sampled one stands for.
        believed : RatePosterior, optional
            Flip rates by checked labels, which rule out most others.
        """
        rates = _all_rates(reference) if believed is None else _believed_rates(believed)
        negative, positive = rates.T[:, :, None]
        kept = 1.0 - negative - positive
        clean = _bounded((_positive_rates(reference) - negative) / kept)
        factor = np.stack([1.0 - positive, positive], axis=-1) @ inverse[::-1]
        factor /= np.stack([negative, 1.0 - negative], axis=-1) @ inverse[::-1]
        truth = expit(logit(clean) + np.log(factor))
        rows = reference.negatives * inverse[0] + reference.positives * inverse[1]
        weights = rows / rows.sum()
        return cls(truth @ weights, truth, weights)

    def harmless_part(self, probability: FloatArray, log_factor: float) -> float:
        """Part of a change of the log-odds that harms under no reading.

        Parameters
        ----------
        probability : float64 array
            What the calibrator says to each bin before the change.
        log_factor : float
            The whole change.

        Examples
        --------
        Under one reading positives are as frequent as the calibrator says, under the other they
        are more frequent.

        >>> truth = np.array([[0.2], [0.5]])
        >>> found = Readings(truth[:, 0], truth, np.ones(1))
        >>> round(found.harmless_part(np.array([0.2]), np.log(4.0)), 2)
        0.35
        >>> found._replace(truth=truth[1:]).harmless_part(np.array([0.2]), np.log(4.0))
        1.0
        """
        log_odds = logit(_bounded(probability))
        before, believed = self._losses(log_odds), expit(log_odds + log_factor)
        kept, adapted = (
            self._replace(truth=believed[None])._losses(log_odds + change)[0]
            for change in (0.0, log_factor)
        )
        allowed = before * (1.0 + HARM + PRICE * (1.0 - adapted / kept))
        harmless = [
            part for part in STEPS if (self._losses(log_odds + part * log_factor) <= allowed).all()
        ]
        return float(max(harmless))

    def _losses(self, log_odds: FloatArray) -> FloatArray:
        """Log loss under each reading."""
        positive, negative = np.logaddexp(0.0, -log_odds), np.logaddexp(0.0, log_odds)
        return np.asarray((self.truth * positive + (1.0 - self.truth) * negative) @ self.weights)


def _drawn_again(reference: Reference) -> Iterator[Reference]:
    """Other rows that a fit could have had: numbers of labels vary as those of a sample do."""
    random = np.random.default_rng(0)
    for _ in range(DRAWS):
        negatives, positives = (
            # half a row, so that a bin without a label can have some
            random.gamma(column + 0.5)
            for column in (reference.negatives, reference.positives)
        )
        yield replace(reference, negatives=negatives, positives=positives)


def _all_rates(reference: Reference) -> FloatArray:
    """Pairs of flip rates that the labels allow, one in each row."""
    return np.stack([grid.ravel() for grid in np.meshgrid(*_rates(reference))], axis=1)


def _believed_rates(believed: RatePosterior) -> FloatArray:
    """Pairs of flip rates that checked labels leave, one in each row."""
    grids = np.meshgrid(
        *(weighted_quantiles(rate, believed.weights, BELIEVED) for rate in believed.points.T)
    )
    return np.stack([grid.ravel() for grid in grids], axis=1)


def _rates(reference: Reference) -> tuple[FloatArray, FloatArray]:
    """Flip rates of both classes, from none to the largest that the labels allow."""
    return (
        PARTS * _largest_rate(reference.positives, reference.negatives),
        PARTS * _largest_rate(reference.negatives[::-1], reference.positives[::-1]),
    )


def _largest_rate(wrong: FloatArray, right: FloatArray) -> float:
    """How many labels of the class of the first rows could be wrong, if all of these rows were."""
    weight = wrong + right
    starts = group_starts((weight / weight.sum())[None], GROUPS)
    # of the first rows, and of the first and more: of single groups, the lowest is low by chance
    labels, total = (np.cumsum(np.add.reduceat(one, starts)) for one in (wrong, weight))
    # half a row more of each label, so that rows without one have a variance
    rate = (labels + 0.5) / (total + 1.0)
    return min(float((rate + SIGMAS * np.sqrt(rate * (1.0 - rate) / total)).min()), MOST_NOISE)


def _positive_rates(reference: Reference) -> FloatArray:
    """How often labels are positive in each bin, by an isotonic regression."""
    return Isotonic().fit_table(reference.table()).map_(reference.scores)


def _bounded(share: FloatArray) -> FloatArray:
    return np.asarray(np.clip(share, LEAST_SHARE, 1.0 - LEAST_SHARE))
