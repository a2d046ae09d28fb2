"""Fit one calibrator per segment; small segments borrow from all rows."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from lwcal.arrays import FloatArray
from lwcal.calibrators import Auto, Calibrator
from lwcal.errors import InputError
from lwcal.parameters import Between, check_parameter
from lwcal.reference import CONDENSED, condensed
from lwcal.rows import ArrayLike, as_scores, check_same_length
from lwcal.table import ScoreTable

__all__ = ["Segment", "Segments", "fit_segments"]

PRIOR_ROWS = 1000.0


@dataclass(frozen=True)
class Segment:
    """The calibrator of one segment.

    Attributes
    ----------
    calibrator : Calibrator
    n : int or float
        Number of rows in the segment, or their weight.
    own_share : float
        Share of these rows in the fit; the rest comes from all segments.
    """

    calibrator: Calibrator
    n: float
    own_share: float


@dataclass(frozen=True)
class Segments:
    """Calibrators by segment.

    Attributes
    ----------
    pooled : Calibrator
        Fitted to all rows; used for segments that were not in the fit.
    segments : dict
        A :class:`Segment` for each segment, the largest first.
    """

    pooled: Calibrator
    segments: dict[Any, Segment]

    def predict(self, scores: ArrayLike, segments: ArrayLike) -> FloatArray:
        """Calibrate each score, on the scale of the fit, with the calibrator of its segment."""
        checked = as_scores(scores, scale=self.pooled.scale_of())
        keys = segments.tolist() if hasattr(segments, "tolist") else list(segments)
        check_same_length(len(checked), len(keys), "segments")
        known = {key: place for place, key in enumerate(self.segments)}
        places = np.array([known.get(key, -1) for key in keys])
        probabilities = self.pooled.map_.apply_unchecked(checked)
        for place, segment in enumerate(self.segments.values()):
            rows = places == place
            if rows.any():
                probabilities[rows] = segment.calibrator.map_.apply_unchecked(checked[rows])
        return probabilities


def fit_segments(
    tables: Mapping[Any, ScoreTable],
    calibrator: Calibrator | None = None,
    *,
    prior_rows: float = PRIOR_ROWS,
) -> Segments:
    """Fit one calibrator for each segment, such as a country or a product.

    A segment's calibrator is fitted to its own n rows and to the rows of all segments, scaled down
    to the weight of ``prior_rows`` rows. Its own rows have the share n / (n + prior_rows). A small
    segment therefore gets almost the map of all rows, and a large one its own map. Even a segment
    with labels of one class can be fitted. The share is reported for each segment.

    Parameters
    ----------
    tables : mapping of segment to ScoreTable
        For example from :func:`lwcal.engines.duckdb.reduce_groups`.
    calibrator : Calibrator, optional
        The calibrator to fit; default: :class:`lwcal.Auto`.
    prior_rows : float, default 1000
        Number of rows from which a segment deserves a calibration curve of its own. With 1,000
        rows, the share of positives in a tenth of them has a standard error of 0.05. Choose more
        when segments differ little or labels are noisy. With 0, every segment is fitted alone.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(6000)
    >>> large = ScoreTable.from_arrays(p, rng.random(6000) < p**2)
    >>> small = ScoreTable.from_arrays([0.4, 0.6], [1, 0])
    >>> from lwcal import Platt
    >>> fitted = fit_segments({"NL": large, "LU": small}, Platt())
    >>> [(name, s.n, round(s.own_share, 3)) for name, s in fitted.segments.items()]
    [('NL', 6000, 0.857), ('LU', 2, 0.002)]
    >>> fitted.predict([0.5, 0.5, 0.5], ["NL", "LU", "elsewhere"]).round(2)
    array([0.25, 0.25, 0.25])
    """
    check_parameter("prior_rows", prior_rows, Between(0.0, float("inf")))
    if not tables:
        raise InputError("There are no segments to fit; at least one is needed.")
    model = clone(Auto() if calibrator is None else calibrator)
    everything = ScoreTable.merge(tables.values())
    pooled = copy(model).fit_table(everything)
    # next to the rows of a segment, neighbouring scores of all rows need no separate place
    few = condensed(everything, kept=CONDENSED)
    prior = few.scaled(prior_rows / few.n) if prior_rows else None
    found = {}
    for name in sorted(tables, key=lambda name: -tables[name].n):
        own = tables[name]
        table = own if prior is None else own + prior
        share = own.n / (own.n + prior_rows)
        # a clone for each of many segments would take longer than the fits
        found[name] = Segment(copy(model).fit_table(table), own.n, share)
    return Segments(pooled, found)
