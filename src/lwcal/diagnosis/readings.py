"""Readings of the same labels: what a map changes if they are right, and if some are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from lwcal.arrays import FloatArray
from lwcal.calibrators.crossfit import CrossFitted
from lwcal.calibrators.decision import LOSS_CLIP
from lwcal.estimates import Estimate
from lwcal.maps import Map
from lwcal.metrics.noise_correction import clean_counts
from lwcal.noise.checked.posterior import CleanDraws
from lwcal.noise.checked.summary import interval_of
from lwcal.noise.rates import FlipRates, RatePosterior, as_rate_posterior
from lwcal.table import ScoreTable


@dataclass(frozen=True)
class Reading:
    """What calibration changes if one reading of the labels holds.

    Attributes
    ----------
    positives : float
        Share of true positives.
    raw_loss, calibrated_loss : float
        Log loss of the raw score and of the calibrated probability.
    gain : Estimate
        Relative decrease of the log loss; below 0, calibration makes it worse.
    likely_gain : float
        Probability that it falls, if the reading holds.
    raw_errors, calibrated_errors : float
        Share of rows on the wrong side of the threshold.
    """

    positives: float
    raw_loss: float
    calibrated_loss: float
    gain: Estimate
    likely_gain: float
    raw_errors: float
    calibrated_errors: float

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {**asdict(self), "gain": self.gain.to_dict()}


def is_too_low(*losses: float) -> bool:
    """Whether a corrected loss is about 0 or below: the noise can hardly be what it is taken for.

    >>> is_too_low(0.2, LEAST_LOSS), is_too_low(0.2, 0.1)
    (True, False)
    """
    return LEAST_LOSS in losses


@dataclass(frozen=True)
class Readings:
    """A map under both readings of the labels.

    Attributes
    ----------
    threshold : float
        Probability from which on a row counts as positive.
    raw_average, calibrated_average : float
        Average raw score and average calibrated probability.
    moved_up, moved_down : float
        Number of rows, or their weight, that calibration carries to the positive and to the
        negative side of the threshold.
    labels_right : Reading
        If every label is right.
    noise_holds : Reading or None
        If the estimate of the noise holds. None if noise does not fit the labels.
    missed : FlipRates or None
        Flip rates of the labels if the raw scores are right. None if labels, or checked labels,
        contradict that, or if the rates are known.
    scores_right : Reading or None
        If the raw scores are right, and labels are flipped at these rates.
    scores_are_better : bool
        Whether right scores explain labels and checks far better than the calibrator does.
    on_checked : Estimate or None
        Relative decrease of the log loss on the checked rows themselves, by their true classes.
        They are few, and the calibrator was fitted to them, so it looks better there than it is.
    """

    threshold: float
    raw_average: float
    calibrated_average: float
    moved_up: float
    moved_down: float
    labels_right: Reading
    noise_holds: Reading | None
    missed: FlipRates | None = None
    scores_right: Reading | None = None
    scores_are_better: bool = False
    on_checked: Estimate | None = None

    @property
    def missed_share(self) -> float:
        """Share of wrong labels if the raw scores are right; 0 if that is ruled out."""
        if self.missed is None or self.scores_right is None:
            return 0.0
        positives = self.scores_right.positives
        return self.missed.negative * (1.0 - positives) + self.missed.positive * positives

    @property
    def moved(self) -> float:
        """Number of rows, or their weight, that change sides at the threshold."""
        return self.moved_up + self.moved_down

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        missed = self.missed
        return {
            **{name: getattr(self, name) for name in COMMON},
            "labels_right": self.labels_right.to_dict(),
            "noise_holds": _document(self.noise_holds),
            "missed": None if missed is None else missed._asdict(),
            "scores_right": _document(self.scores_right),
            "scores_are_better": self.scores_are_better,
            "on_checked": None if self.on_checked is None else self.on_checked.to_dict(),
        }


def _document(reading: Reading | None) -> dict[str, Any] | None:
    return None if reading is None else reading.to_dict()


RIGHT = FlipRates(0.0, 0.0)
DRAWS = 200
LEAST_LOSS = 1e-3
"""Corrected losses below this, which noise in the counts can make negative, are set to it."""
TOO_LOW = "about 0"
"""Such a loss in words."""
COMMON = ("threshold", "raw_average", "calibrated_average", "moved_up", "moved_down")


def read_both(
    table: ScoreTable,
    calibration: Map,
    noise: RatePosterior | CleanDraws | None,
    *,
    left_out: CrossFitted | None = None,
    unpooled: ScoreTable | None = None,
    missed: Sequence[FlipRates] = (),
    threshold: float = 0.5,
    confidence: float = 0.9,
) -> Readings:
    """Judge a map by the labels as they are, and by what noise estimate or audit say of them.

    Parameters
    ----------
    table : ScoreTable
        Rows that the map is judged on.
    calibration : Map
    noise : RatePosterior, CleanDraws or None
        Flip rates, given noise: then counts of labels are corrected for them. Or draws of the
        truth at the scores of the table, as an audit gives them. None if noise does not fit.
    left_out : CrossFitted, optional
        Predictions of the same rows by maps that did not see them. They judge a map that was
        fitted to these rows, which would otherwise look better than it is.
    unpooled : ScoreTable, optional
        The same rows with every score of their own, if the table has pooled them. They give the
        averages and the rows that change sides exactly.
    missed : sequence of FlipRates
        Pairs of flip rates with which the raw scores are right, for a third reading: that under
        which the map is worst.
    threshold : float, default 0.5
    confidence : float, default 0.9
        Level of the intervals.

    Examples
    --------
    >>> from lwcal.maps import PiecewiseLinearMap
    >>> table = ScoreTable.from_counts([0.2, 0.6], negatives=[90, 60], positives=[10, 40])
    >>> found = read_both(table, PiecewiseLinearMap([0.0, 1.0], [0.0, 0.6]), None)
    >>> round(found.raw_average, 2), round(found.calibrated_average, 2), found.moved_down
    (0.4, 0.24, 100.0)
    >>> found.labels_right.gain.value > 0
    True
    """
    mapped = np.asarray(calibration(table.scores))
    rows = left_out or CrossFitted(table.scores, mapped, table.negatives, table.positives)
    every = table if unpooled is None else unpooled
    total, changed = every.negatives + every.positives, np.asarray(calibration(every.scores))
    above = (every.scores >= threshold, changed >= threshold)
    if_scores_right = [
        (rates, _if_rates(rows, as_rate_posterior(rates), threshold, confidence))
        for rates in missed
    ]
    worst = min(if_scores_right, key=lambda pair: pair[1].gain.low, default=(None, None))
    return Readings(
        threshold,
        float(np.average(every.scores, weights=total)),
        float(np.average(changed, weights=total)),
        float(total[~above[0] & above[1]].sum()),
        float(total[above[0] & ~above[1]].sum()),
        _if_right(rows, threshold, confidence),
        _second(rows, table, mapped, noise, threshold, confidence),
        *worst,
    )


def _second(
    rows: CrossFitted,
    table: ScoreTable,
    mapped: FloatArray,
    noise: RatePosterior | CleanDraws | None,
    threshold: float,
    confidence: float,
) -> Reading | None:
    if noise is None:
        return None
    if isinstance(noise, CleanDraws):
        return _if_truths(table, mapped, noise, threshold, confidence)
    return _if_rates(rows, noise, threshold, confidence)


def _if_right(rows: CrossFitted, threshold: float, confidence: float) -> Reading:
    n = float(rows.negatives.sum() + rows.positives.sum())
    positives, negatives = rows.positives / n, rows.negatives / n
    before, after = (
        float(positives @ of[0] + negatives @ of[1])
        for of in (_losses(rows.scores), _losses(rows.predicted))
    )
    mean, error = (float(part[0]) for part in _improvements(rows, np.array([RIGHT])))
    reach = float(ndtri(0.5 + confidence / 2) * error)
    return Reading(
        float(positives.sum()),
        before,
        after,
        _relative(mean, mean - reach, mean + reach, before),
        float(ndtr(mean / error)) if error > 0.0 else 0.5,
        _errors(rows.scores, positives, negatives, threshold),
        _errors(rows.predicted, positives, negatives, threshold),
    )


def _if_rates(
    rows: CrossFitted, rates: RatePosterior, threshold: float, confidence: float
) -> Reading:
    """Correct the counts of labels; the curve of the noise model plays no part.

    The interval holds the uncertainty about the rates, and that of the rows.
    """
    n = float(rows.negatives.sum() + rows.positives.sum())
    negatives, positives = (
        part / n for part in clean_counts(rows.negatives, rows.positives, rates.mean())
    )
    before, after = (
        max(float(positives @ of[0] + negatives @ of[1]), LEAST_LOSS)
        for of in (_losses(rows.scores), _losses(rows.predicted))
    )
    generator = np.random.default_rng(0)
    drawn = np.array([*rates.draw(DRAWS, generator), rates.mean()])
    means, errors = _improvements(rows, drawn)
    improved = means[:-1] + errors[:-1] * generator.standard_normal(len(drawn) - 1)
    mean = float(means[-1])
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(improved, [tail, 1.0 - tail])
    return Reading(
        float(np.clip(positives.sum(), 0.0, 1.0)),
        before,
        after,
        _relative(mean, min(float(low), mean), max(float(high), mean), before),
        float((improved > 0.0).mean()),
        float(np.clip(_errors(rows.scores, positives, negatives, threshold), 0.0, 1.0)),
        float(np.clip(_errors(rows.predicted, positives, negatives, threshold), 0.0, 1.0)),
    )


def _improvements(rows: CrossFitted, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean decreases of the log loss if labels flip at these pairs of rates, with standard errors.

    The loss of a label that may have flipped is corrected as in Natarajan et al. (2013): its mean
    over flips is the loss of the truth. So it is a sum of two columns, and their moments are all
    that is needed of the rows.
    """
    raw, new = _losses(rows.scores), _losses(rows.predicted)
    of_positive, of_negative = raw[0] - new[0], raw[1] - new[1]
    columns = of_positive, of_negative, of_positive**2, of_positive * of_negative, of_negative**2
    r0, r1 = rates.T / (1.0 - rates.sum(axis=1))
    total, squares = np.zeros(len(rates)), np.zeros(len(rates))
    for counts, a, b in ((rows.positives, 1.0 + r1, -r1), (rows.negatives, -r0, 1.0 + r0)):
        first, second, first_squared, both, second_squared = (counts @ one for one in columns)
        total += a * first + b * second
        squares += a**2 * first_squared + 2.0 * a * b * both + b**2 * second_squared
    n = float(rows.negatives.sum() + rows.positives.sum())
    mean = total / n
    return mean, np.sqrt(np.maximum(squares / n - mean**2, 0.0) / n)


def _relative(value: float, low: float, high: float, loss: float) -> Estimate:
    """Divide by the loss of the raw score. No loss can fall by more than all of it."""
    return Estimate(*(min(part / loss, 1.0) for part in (value, low, high)))


def _if_truths(
    table: ScoreTable, mapped: FloatArray, truths: CleanDraws, threshold: float, confidence: float
) -> Reading:
    share = (table.negatives + table.positives) / table.n
    average = truths.weights @ truths.clean
    positives, negatives = share * average, share * (1.0 - average)
    raw, new = _losses(table.scores), _losses(mapped)
    drawn = [truths.clean @ (share * (of[0] - of[1])) + float(share @ of[1]) for of in (raw, new)]
    gain = interval_of(1.0 - drawn[1] / drawn[0], truths.weights, confidence)
    before, after = (float(truths.weights @ loss) for loss in drawn)
    value = 1.0 - after / before
    likely = float(truths.weights[drawn[1] < drawn[0]].sum())
    return Reading(
        float(positives.sum()),
        before,
        after,
        # the ratio of averages can leave an interval of ratios
        Estimate(value, min(gain.low, value), max(gain.high, value)),
        min(likely, 1.0),
        _errors(table.scores, positives, negatives, threshold),
        _errors(mapped, positives, negatives, threshold),
    )


def _losses(probability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Loss of a positive and of a negative row."""
    clipped = np.clip(probability, LOSS_CLIP, 1.0 - LOSS_CLIP)
    return -np.log(clipped), -np.log1p(-clipped)


def _errors(
    probability: FloatArray, positives: FloatArray, negatives: FloatArray, threshold: float
) -> float:
    above = probability >= threshold
    return float(positives[~above].sum() + negatives[above].sum())
