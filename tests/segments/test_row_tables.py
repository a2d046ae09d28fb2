"""Rows of some segments are counted as a table of each would count them."""

import numpy as np
import pytest

from lwcal import Platt, ScoreTable
from lwcal.rows.reducer import Names
from lwcal.segments import row_tables
from lwcal.segments.row_evidence import SegmentCounter
from lwcal.segments.row_tables import SegmentTables

NAMES = Names("p", "y", "w")


@pytest.mark.parametrize("at_once", [1, 1000, 1_000_000])
@pytest.mark.parametrize("drop", [False, True])
def test_tables_are_those_of_the_rows(drop, at_once, monkeypatch):
    """Labels are words; some rows are not valid, and one segment has no valid ones."""
    monkeypatch.setattr(row_tables, "AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    n = 3_000
    segments, scores = rng.integers(0, 4, n), rng.random(n).round(2)
    positive, weights = rng.random(n) < scores, rng.random(n)
    labels = np.where(positive, "yes", "no").astype(object)
    valid = np.ones(n, dtype=bool)
    if drop:
        labels[::7], scores[1::7] = "?", np.nan
        scores[segments == 3] = 2.0
        valid[::7] = valid[1::7] = valid[segments == 3] = False
    everything = ScoreTable.from_arrays(scores[valid], positive[valid], weights[valid])
    pooled = Platt().fit_table(everything)
    counter = SegmentCounter(NAMES, 4, pooled, everything, drop_invalid=drop, pos_label="yes")
    batches = np.array_split(np.arange(n), 5)
    for rows in batches:
        counter.add((scores[rows], labels[rows], weights[rows]), segments[rows])
    counter.finish()
    tables = SegmentTables(counter, 4, "probability")
    for rows in batches:
        tables.add((scores[rows], labels[rows], weights[rows]), segments[rows])
    for segment, found in enumerate(tables.finish()):
        rows = valid & (segments == segment)
        if not rows.any():
            assert len(found) == 0
            continue
        expected = ScoreTable.from_arrays(scores[rows], positive[rows], weights[rows])
        for one, other in zip(found.columns, expected.columns, strict=True):
            np.testing.assert_array_equal(one, other)
