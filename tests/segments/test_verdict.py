"""The words about each segment: by one rule, for fits and for reports."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from lwcal import Identity, ScoreTable, fit_segments
from lwcal.estimates import Estimate
from lwcal.segments import judge_segments, segment_verdicts
from lwcal.segments.verdict import LEVELS, SMALL_RATIO, level_of


def table(rng, n, offset=0.0):
    """Rows whose log-odds differ from the score's by an offset."""
    log_odds = rng.normal(-1.0, 1.5, n)
    return ScoreTable.from_arrays(expit(log_odds), rng.random(n) < expit(log_odds + offset))


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_handful_of_rows_never_says_that_a_calibrator_holds(spread):
    """Neither where segments differ, nor where the others are alike, so the interval is narrow."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        tables = {k: table(rng, 800, spread * rng.normal()) for k in range(15)}
        tables |= {"high": table(rng, 8, 1.5), "low": table(rng, 8, -1.5)}
        found += [one for one in judge_segments(fitted(), tables) if one.name in ("high", "low")]
    assert "as all rows" not in {one.level for one in found}
    assert "too few rows" in {one.level for one in found}
    if not spread:
        assert any(one.odds_ratio.high < SMALL_RATIO for one in found)  # narrow, and yet no verdict


def fitted():
    """A calibrator that leaves scores as they are."""
    return Identity().fit([0.2, 0.8], [0, 1])


def test_hundreds_of_rows_say_so():
    """Also where the other segments say more than they do."""
    rng = np.random.default_rng(0)
    tables = {k: table(rng, 600) for k in range(12)}
    judged = judge_segments(fitted(), tables)
    assert {one.level for one in judged} == {"as all rows"}
    assert min(one.own_share for one in judged) < 0.5
    assert "rule" in judged[0].sentence


def test_fits_and_reports_use_the_same_rule():
    """The share of a segment's own rows has one meaning, with a curve of its own or without."""
    rng = np.random.default_rng(1)
    tables = {"large": table(rng, 3000), "small": table(rng, 300, 1.0), "tiny": table(rng, 5)}
    judged = judge_segments(fitted(), tables)
    for prior_rows in (0.0, 1000.0, 1e9):
        segments = fit_segments(tables, Identity(), prior_rows=prior_rows)
        for one, other in zip(segment_verdicts(segments), judged, strict=True):
            assert (one.name, one.level) == (other.name, other.level)
            assert one.own_share == pytest.approx(other.own_share, rel=1e-6)
            assert one.odds_ratio == pytest.approx(other.odds_ratio, rel=1e-6)
    assert [one.level for one in judged] == ["as all rows", "differs", "too few rows"]


@given(st.floats(-3.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 1.0))
def test_the_words_follow_from_the_interval(middle, below, above, share):
    """Odds of the other class give the same word, and less own rows never say more."""
    ratio = Estimate(*np.exp([middle, middle - below, middle + above]).tolist())
    turned = Estimate(*np.exp([-middle, -middle - above, -middle + below]).tolist())
    level = level_of(ratio, share)
    assert level in LEVELS
    if min(abs(middle - below), abs(middle + above)) > 1e-9:
        assert level_of(turned, share) == level
    assert (level == "differs") == (not ratio.low <= 1.0 <= ratio.high)
    if level == "as all rows":
        assert 1 / SMALL_RATIO < ratio.low <= ratio.high < SMALL_RATIO
    if level == "too few rows":
        assert level_of(ratio, share / 2) == "too few rows"
