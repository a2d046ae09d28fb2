"""Which segments keep a curve of their own: those whose labels it explains better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.calibrators.from_posterior import FromPosterior
from lwcal.segments.evidence import calibrated_log_odds
from lwcal.shift.adjusting import expected_noise
from lwcal.table import ScoreTable

LEAST_GAIN = 2.0
"""Log-likelihood that a curve gains over other odds alone: Akaike's price of two more numbers."""
CLIP = 1e-12


def earned_curves(
    curves: Mapping[Any, Calibrator],
    tables: Mapping[Any, ScoreTable],
    pooled: Calibrator,
    offsets: Mapping[Any, float],
) -> dict[Any, Calibrator]:
    """Leave out curves that explain the labels of their segment no better than its odds do.

    :class:`lwcal.Auto` compares a curve with the raw score, and may keep that, where the odds of
    the segment are better than both. A calibrator without a noise model makes no such choice, and
    keeps all curves.

    Parameters
    ----------
    curves : mapping of segment to Calibrator
    tables : mapping of segment to ScoreTable
        The rows of the segments, without borrowed ones.
    pooled : Calibrator
        Of all rows.
    offsets : mapping of segment to float
        By how much the log-odds of the segment differ from those of all rows.
    """
    if not isinstance(pooled, FromPosterior):
        return dict(curves)
    return {
        name: curve
        for name, curve in curves.items()
        if _gain(curve, tables[name], pooled, offsets[name]) >= LEAST_GAIN
    }


def _gain(curve: Calibrator, table: ScoreTable, pooled: Calibrator, offset: float) -> float:
    odds = np.exp(calibrated_log_odds(pooled, table.scores) + offset)
    by_odds = _log_likelihood(table, odds / (1.0 + odds), pooled)
    own = curve.map_.apply_unchecked(table.scores)
    return _log_likelihood(table, own, curve) - by_odds


def _log_likelihood(table: ScoreTable, clean: FloatArray, calibrator: Calibrator) -> float:
    """Of the labels, given the probability of the truth and what the calibrator says of noise."""
    noise = expected_noise(calibrator)
    labelled = noise[0, 1] + (noise[1, 1] - noise[0, 1]) * clean
    labelled = np.clip(labelled, CLIP, 1.0 - CLIP)
    return float(table.positives @ np.log(labelled) + table.negatives @ np.log1p(-labelled))
