"""Fit one calibrator per segment; small segments borrow from all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Auto, Calibrator
from lwcal.errors import InputError
from lwcal.parameters import Between, check_parameter
from lwcal.segments.borrowed_rows import BorrowedRows
from lwcal.segments.evidence import Evidence
from lwcal.segments.fitted import Segments
from lwcal.segments.naming import segment_name
from lwcal.segments.offsets import fit_offsets
from lwcal.segments.own_curves import earned_curves
from lwcal.shift.adjusting import expected_noise
from lwcal.table import ScoreTable

PRIOR_ROWS = 1000.0
AT_ONCE = 64
"""Curves that are fitted at once: enough for all cores, and their tables stay in the cache that
these share."""
SCORES_AT_ONCE = 1 << 22
"""Their distinct scores, about: the tables with borrowed rows would fill the memory."""


def fit_segments(
    tables: Mapping[Any, ScoreTable],
    calibrator: Calibrator | None = None,
    *,
    prior_rows: float = PRIOR_ROWS,
) -> Segments:
    """Fit one calibrator for each segment, such as a country or a product.

    Every segment gets odds of its own: those of all rows, multiplied by one number. How much the
    segments differ is estimated from all of them, and a segment with few rows is pulled towards
    all rows accordingly. Labels are taken to be as noisy as the calibrator of all rows says.

    A segment of at least ``prior_rows`` rows also gets a curve of its own. It is fitted to its n
    rows, and to the rows of all segments with the odds of this one, scaled down to the weight of
    ``prior_rows`` rows. So its own rows have the share n / (n + prior_rows) in the curve. A curve
    of :class:`lwcal.Auto` or :class:`lwcal.NoiseAware` is left out if it explains the labels of the
    segment no better than its odds alone.

    Labels that are wrong more often in one segment than in others look like other odds. Only
    checked labels tell these two apart.

    Parameters
    ----------
    tables : mapping of segment to ScoreTable
        :func:`lwcal.segments.segment_tables` makes them of columns in memory. For thousands of
        segments in a file, use :func:`lwcal.engines.duckdb.fit_segments`, which keeps no table for
        each of them.
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
    >>> small = ScoreTable.from_arrays([0.2, 0.4, 0.6], [1, 1, 1])
    >>> from lwcal import Platt
    >>> fitted = fit_segments({"NL": large, "LU": small}, Platt())
    >>> [(name, s.n, s.has_own_curve) for name, s in fitted.segments.items()]
    [('NL', 6000.0, True), ('LU', 3.0, False)]
    >>> f"{fitted.segments['LU'].odds_ratio:.1f}"
    '2.2 (0.9 to 16.6)'
    >>> fitted.predict([0.5, 0.5, 0.5], ["NL", "LU", "elsewhere"]).round(2)
    array([0.25, 0.43, 0.25])
    """
    check_prior_rows(prior_rows)
    if not tables:
        raise InputError("There are no segments to fit; at least one is needed.")
    tables = _by_name(tables)
    names = sorted(tables, key=lambda name: -tables[name].n)
    everything = ScoreTable.merge(tables.values())
    pooled = copy(Auto() if calibrator is None else calibrator).fit_table(everything)
    evidence = Evidence.of_tables(pooled, (tables[name] for name in names))
    n = np.array([float(tables[name].n) for name in names])
    large = {name: tables[name] for name in names if tables[name].n >= prior_rows}
    return partly_pooled(pooled, everything, names, n, evidence, large, prior_rows)


def _by_name(tables: Mapping[Any, ScoreTable]) -> dict[Any, ScoreTable]:
    """The tables with missing values, such as NaN and None, as one segment."""
    found: dict[Any, ScoreTable] = {}
    for key, table in tables.items():
        name = segment_name(key)
        found[name] = found[name] + table if name in found else table
    return found


def check_prior_rows(prior_rows: float) -> None:
    """Refuse a number of rows below 0."""
    check_parameter("prior_rows", prior_rows, Between(0.0, float("inf")))


def partly_pooled(
    pooled: Calibrator,
    everything: ScoreTable,
    names: Sequence[Any],
    n: FloatArray,
    evidence: Evidence,
    large: Mapping[Any, ScoreTable],
    prior_rows: float,
) -> Segments:
    """Fit odds to all segments, and curves to large ones.

    Parameters
    ----------
    pooled : Calibrator
        Fitted to all rows.
    everything : ScoreTable
        All rows.
    names : sequence
        Names of the segments, the largest first.
    n : float64 array
        Rows of each segment.
    evidence : Evidence
        Labels of each segment.
    large : mapping
        Rows of the segments that get a curve of their own.
    prior_rows : float
    """
    noise = expected_noise(pooled)
    offsets = fit_offsets(evidence, noise)
    ratios = np.exp(np.stack([offsets.values, offsets.low, offsets.high], axis=1))
    borrowed = BorrowedRows.of(everything, prior_rows, pooled, noise) if prior_rows else None
    own_offsets = dict(zip(names, offsets.values.tolist(), strict=True))
    curves: dict[Any, Calibrator] = {}
    for some in _batches(large):
        own = list(some.values())
        if borrowed is not None:
            own = borrowed.added_to(own, np.array([own_offsets[name] for name in some]))
        curves.update(zip(some, pooled.fit_each(own), strict=True))
    if prior_rows:
        curves = earned_curves(curves, large, pooled, own_offsets)
    return Segments(pooled, list(names), n, ratios, offsets.own_share, offsets.spread, curves)


def _batches(tables: Mapping[Any, ScoreTable]) -> Iterator[dict[Any, ScoreTable]]:
    """Consecutive tables that are fitted at once."""
    some: dict[Any, ScoreTable] = {}
    scores = 0
    for name, table in tables.items():
        some[name] = table
        scores += len(table)
        if len(some) == AT_ONCE or scores >= SCORES_AT_ONCE:
            yield some
            some, scores = {}, 0
    if some:
        yield some
