"""Two readings of the labels of several classes: if they are right, and if noise holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from lwcal.arrays import FloatArray
from lwcal.calibrators.class_crossfit import ClassCrossFitted
from lwcal.class_maps import ClassMap
from lwcal.estimates import Estimate
from lwcal.metrics.class_corrected import class_losses
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.label_correction import corrected_by

LEAST_LOSS = 1e-3
"""Corrected losses below this, which noise in the labels can make negative, are set to it."""


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
    """

    raw_average: tuple[float, ...]
    calibrated_average: tuple[float, ...]
    changed: float
    labels_right: ClassReading
    noise_holds: ClassReading | None

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        noise = self.noise_holds
        return {
            "raw_average": list(self.raw_average),
            "calibrated_average": list(self.calibrated_average),
            "changed": self.changed,
            "labels_right": self.labels_right.to_dict(),
            "noise_holds": None if noise is None else noise.to_dict(),
        }


def read_both_classes(
    rows: ClassRows,
    calibration: ClassMap,
    left_out: ClassCrossFitted,
    noise: Sequence[FloatArray],
    *,
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
    wrong = np.ones_like(probabilities)
    wrong[np.arange(len(wrong)), probabilities.argmax(axis=1)] = 0.0
    return float(np.clip(_mean_and_error(rows, wrong, matrix)[0], 0.0, 1.0))
