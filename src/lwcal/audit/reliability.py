"""Calibration error and reliability curve under the posterior of an audit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.metrics.calibration import N_BINS
from lwcal.noise.checked.posterior import CleanDraws
from lwcal.noise.checked.summary import interval_of
from lwcal.numerics.equal_width import bin_of
from lwcal.table import ScoreTable


class Curve(NamedTuple):
    """Probability of a true positive at each score, with credible intervals."""

    score: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray


def calibration_error(
    draws: CleanDraws, table: ScoreTable, probabilities: FloatArray, confidence: float
) -> Estimate:
    """Estimate the ECE, in bins of equal width, of probabilities for the scores of a table."""
    gaps = (draws.clean - probabilities) @ _bin_shares(table, probabilities).T
    return interval_of(np.abs(gaps).sum(axis=1), draws.weights, confidence)


def reliability_curve(
    draws: CleanDraws, table: ScoreTable, probabilities: FloatArray, confidence: float
) -> Curve:
    """Return mean probability and share of true positives in every bin that has rows."""
    shares = _bin_shares(table, probabilities)
    shares = shares[shares.sum(axis=1) > 0]
    shares = shares / shares.sum(axis=1, keepdims=True)
    return with_intervals(shares @ probabilities, draws.clean @ shares.T, draws, confidence)


def with_intervals(
    score: FloatArray, values: FloatArray, draws: CleanDraws, confidence: float
) -> Curve:
    """Summarise draws of a curve by values and intervals at each score."""
    ends = [interval_of(column, draws.weights, confidence) for column in values.T]
    return Curve(score, *(np.array(part) for part in zip(*ends, strict=True)))


def _bin_shares(table: ScoreTable, probabilities: FloatArray) -> FloatArray:
    """Return the share of all rows in each bin by score, of shape (bins, scores)."""
    share = (table.negatives + table.positives) / table.n
    bins = bin_of(probabilities, N_BINS)
    return np.asarray((bins == np.arange(N_BINS)[:, None]) * share)


def to_json_types(values: dict[str, Any]) -> dict[str, Any]:
    """Convert estimates and curves to types that JSON can represent, at any depth.

    >>> to_json_types({"share": Estimate(0.2, 0.1, 0.3), "n": 5})
    {'share': {'value': 0.2, 'low': 0.1, 'high': 0.3}, 'n': 5}
    """

    def convert(value: Any) -> Any:
        if isinstance(value, dict):
            return to_json_types(value)
        if isinstance(value, (Estimate, Curve)):
            return {name: np.asarray(part).tolist() for name, part in value._asdict().items()}
        return value

    return {name: convert(value) for name, value in values.items()}
