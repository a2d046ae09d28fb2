"""Sums of many tables at once are those that each computes alone."""

import numpy as np
import pytest

from lwcal import LWCal, ScoreTable
from lwcal.rows.totals import count_together


def _tables():
    rng = np.random.default_rng(0)
    scores, labels = rng.random((4, 500)), rng.integers(0, 2, (4, 500))
    single = [ScoreTable.from_arrays(*rows) for rows in zip(scores, labels, strict=True)]
    return [*single, *(one.scaled(0.3) for one in single), single[0] + single[0]]


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_what_is_kept_is_what_is_asked_for(threshold):
    """At the threshold of the call, and at others, which it leaves to each table."""
    together = _tables()
    count_together(together, threshold)
    for found, expected in zip(together, _tables(), strict=True):
        assert found.n == pytest.approx(expected.n, rel=1e-14)
        assert found.totals == pytest.approx(expected.totals, rel=1e-14)
        for at in (threshold, 0.7):
            assert found.disagreement(at) == pytest.approx(expected.disagreement(at), rel=1e-14)
            for one, other in zip(found.split(at), expected.split(at), strict=True):
                assert one == pytest.approx(other, rel=1e-14)


def test_several_fits_have_the_diagnostics_of_each():
    """With a threshold that is not the usual one."""
    made = LWCal(threshold=0.3)
    for found, table in zip(made.fit_each(_tables()), _tables(), strict=True):
        alone = LWCal(threshold=0.3).fit_table(table)
        assert found.diagnostics_ == pytest.approx(alone.diagnostics_, rel=1e-13)
        assert found.n_ == pytest.approx(alone.n_, rel=1e-14)
