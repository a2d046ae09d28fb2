"""Readings of the labels of several classes: if they are right, and if some are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from lwcal.arrays import FloatArray
from lwcal.calibrators.class_crossfit import ClassCrossFitted
from lwcal.class_maps import ClassMap
from lwcal.diagnosis.readings import LEAST_LOSS
from lwcal.diagnosis.right_scores import Explained, RightScores
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.label_correction import corrected_by


@dataclass(frozen=True)
class ClassReading:
    """What calibration changes if one reading of the labels holds.

    Attributes
    ----------
    shares : tuple of float
        Share of each true class.
    raw_loss, calibrated_loss : float
        Log loss of the raw scores and of the calibrated probabilities.
    gain : Estimate
        Relative decrease of the log loss; below 0, calibration makes it worse.
    likely_gain : float
        Probability that it falls, if the reading holds.
    raw_errors, calibrated_errors : float
        Share of rows whose most probable class is wrong.
    """

    shares: tuple[float, ...]
    raw_loss: float
    calibrated_loss: float
    gain: Estimate
    likely_gain: float
    raw_errors: float
    calibrated_errors: float

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {**asdict(self), "shares": list(self.shares), "gain": self.gain.to_dict()}


@dataclass(frozen=True)
class ClassReadings:
    """A map of several classes under both readings of the labels.

    Attributes
    ----------
    raw_average, calibrated_average : tuple of float
        Average raw and calibrated probability of each class.
    changed : float
        Number of rows, or their weight, whose most probable class changes.
    labels_right : ClassReading
        If every label is right.
    noise_holds : ClassReading or None
        If the estimate of the noise holds. None if there is none.
    missed : float or None
        Share of wrong labels if the raw scores are right. None if the labels contradict that, or
        if the noise is known.
    scores_right : ClassReading or None
        If the raw scores are right, and that share of the labels is wrong.
    scores_are_better : bool
        Whether right scores explain labels and checks far better than the calibrator does.
    on_checked : Estimate or None
        Relative decrease of the log loss on the checked rows themselves, by their true classes.
        They are few, and the calibrator was fitted to them, so it looks better there than it is.
    """

    raw_average: tuple[float, ...]
    calibrated_average: tuple[float, ...]
    changed: float
    labels_right: ClassReading
    noise_holds: ClassReading | None
    missed: float | None = None
    scores_right: ClassReading | None = None
    scores_are_better: bool = False
    on_checked: Estimate | None = None

    @property
    def missed_share(self) -> float:
        """Share of wrong labels if the raw scores are right; 0 if that is ruled out."""
        return 0.0 if self.missed is None else self.missed

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        noise, right = self.noise_holds, self.scores_right
        return {
            "raw_average": list(self.raw_average),
            "calibrated_average": list(self.calibrated_average),
            "changed": self.changed,
            "labels_right": self.labels_right.to_dict(),
            "noise_holds": None if noise is None else noise.to_dict(),
            "missed": self.missed,
            "scores_right": None if right is None else right.to_dict(),
            "scores_are_better": self.scores_are_better,
            "on_checked": None if self.on_checked is None else self.on_checked.to_dict(),
        }


def read_both_classes(
    rows: ClassRows,
    calibration: ClassMap,
    left_out: ClassCrossFitted,
    noise: Sequence[FloatArray],
    *,
    if_right: RightScores | None = None,
    confidence: float = 0.9,
) -> ClassReadings:
    """Judge a map by the labels as they are, and corrected for what is known of the noise.

    Parameters
    ----------
    rows : ClassRows
    calibration : ClassMap
        Fitted to these rows; it gives the averages and the rows whose class changes.
    left_out : ClassCrossFitted
        Predictions of the same rows by maps that did not see them. They judge the map.
    noise : sequence of (K, K)
        Noise matrices, equally probable.
    if_right : RightScores, optional
        Noise matrix with which the raw scores are right, for a third reading.
    confidence : float, default 0.9
        Level of the intervals.
    """
    mapped = calibration.apply_unchecked(rows.scores)
    moved = mapped.argmax(axis=1) != rows.scores.argmax(axis=1)
    shares = rows.weights / rows.n
    return ClassReadings(
        tuple(np.einsum("n,nk->k", shares, rows.scores).tolist()),
        tuple(np.einsum("n,nk->k", shares, mapped).tolist()),
        float(rows.weights @ moved),
        _reading(left_out, [np.eye(rows.n_classes)], confidence),
        _reading(left_out, noise, confidence) if len(noise) else None,
        None if if_right is None else Explained(*left_out).wrong_share(if_right.matrix),
        None if if_right is None else _if_scores_are_right(left_out, confidence),
        if_right is not None and if_right.is_better,
    )


def _if_scores_are_right(rows: ClassCrossFitted, confidence: float) -> ClassReading:
    """Expected losses of true classes that follow the raw scores."""
    p, shares = rows.scores, rows.weights / rows.weights.sum()
    raw, new = (np.einsum("nk,nk->n", p, class_losses(q)["nll"]) for q in (p, rows.predicted))
    before, after = (max(float(shares @ loss), LEAST_LOSS) for loss in (raw, new))
    mean = float(shares @ (raw - new))
    error = float(np.sqrt(shares @ (raw - new - mean) ** 2 / rows.weights.sum()))
    reach = float(ndtri(0.5 + confidence / 2)) * error
    places = np.arange(len(p))
    errors = (1.0 - float(shares @ p[places, q.argmax(axis=1)]) for q in (p, rows.predicted))
    return ClassReading(
        tuple(np.einsum("n,nk->k", shares, p).tolist()),
        before,
        after,
        Estimate(*(min(gain / before, 1.0) for gain in (mean, mean - reach, mean + reach))),
        float(ndtr(mean / error)) if error > 0.0 else 0.5,
        *errors,
    )


def _reading(
    rows: ClassCrossFitted, matrices: Sequence[FloatArray], confidence: float
) -> ClassReading:
    """Correct the losses of labels; the curve of the noise model plays no part.

    The interval holds the uncertainty about the matrix, and that of the rows.
    """
    raw, new = (class_losses(p)["nll"] for p in (rows.scores, rows.predicted))
    drawn = np.array([_mean_and_error(rows, raw - new, matrix) for matrix in matrices])
    expected = np.mean(matrices, axis=0)
    mean, error = _mean_and_error(rows, raw - new, expected)
    before, after = (
        max(_mean_and_error(rows, loss, expected)[0], LEAST_LOSS) for loss in (raw, new)
    )
    # a mixture of normal distributions, one for each matrix
    points = np.linspace(0.005, 0.995, 100)
    improved = (drawn[:, :1] + drawn[:, 1:] * ndtri(points)).ravel()
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(improved, [tail, 1.0 - tail])
    chances = ndtr(drawn[:, 0] / np.maximum(drawn[:, 1], 1e-300))
    gain = (mean, min(float(low), mean), max(float(high), mean))
    return ClassReading(
        tuple(np.clip(_true_shares(rows, expected), 0.0, 1.0).tolist()),
        before,
        after,
        Estimate(*(min(part / before, 1.0) for part in gain)),
        float(chances.mean()) if error > 0.0 else 0.5,
        *(_errors(rows, p, expected) for p in (rows.scores, rows.predicted)),
    )


def _mean_and_error(
    rows: ClassCrossFitted, values: FloatArray, matrix: FloatArray
) -> tuple[float, float]:
    """Mean over rows of a value of the true class, and its standard error."""
    corrected = corrected_by(matrix, rows.labels, values)
    shares = rows.weights / rows.weights.sum()
    mean = float(shares @ corrected)
    variance = float(shares @ (corrected - mean) ** 2)
    return mean, float(np.sqrt(variance / rows.weights.sum()))


def _true_shares(rows: ClassCrossFitted, matrix: FloatArray) -> FloatArray:
    """Share of each true class, by the shares of the labels."""
    labels = np.bincount(rows.labels, rows.weights, minlength=len(matrix)) / rows.weights.sum()
    return np.asarray(np.linalg.solve(matrix.T, labels))


def _errors(rows: ClassCrossFitted, probabilities: FloatArray, matrix: FloatArray) -> float:
    return float(np.clip(_mean_and_error(rows, is_wrong(probabilities), matrix)[0], 0.0, 1.0))


def is_wrong(probabilities: FloatArray) -> FloatArray:
    """Whether the most probable class is wrong, if each class is the true one.

    >>> is_wrong(np.array([[0.5, 0.3, 0.2]]))
    array([[0., 1., 1.]])
    """
    wrong = np.ones_like(probabilities)
    wrong[np.arange(len(wrong)), probabilities.argmax(axis=1)] = 0.0
    return wrong
