"""A drift is over only if later rows would have shown it."""

import numpy as np
import pytest
from scipy.special import chdtrc, chdtri

from lwcal.monitoring.endings import Seen, has_ended, least_strength
from lwcal.monitoring.grading import ALPHA
from lwcal.monitoring.statistics import Found


def drawn(rng, strength, freedom=10):
    """A chi-square test of rows that differ so much."""
    statistic = float(rng.noncentral_chisquare(freedom, strength))
    return Found(statistic, float(chdtrc(freedom, statistic)), 0.1, freedom=freedom)


@pytest.mark.parametrize("strength", [5.0, 15.0, 30.0, 60.0])
def test_a_strength_that_was_noticed_by_luck_is_not_overstated(strength):
    """Among results beyond a limit, the least strength is at most the truth in nine of ten.

    More than 60 of 300 at a rate of one in ten are less than one in a million.
    """
    rng = np.random.default_rng(0)
    limit = chdtri(10, ALPHA / 48)
    above = tries = 0
    while tries < 300:
        found = drawn(rng, strength)
        if found.statistic > limit:
            tries += 1
            above += least_strength([found], limit) > strength
    assert above <= 60


@pytest.mark.parametrize("strength", [10.0, 25.0, 60.0])
@pytest.mark.parametrize("later", [1.0, 6.0])
def test_a_drift_that_goes_on_is_rarely_said_to_be_over(strength, later):
    """However clear it was, and however many rows follow."""
    rng = np.random.default_rng(1)
    limit = chdtri(10, ALPHA / 48)
    over = tries = 0
    while tries < 200:
        found = drawn(rng, strength)
        if found.statistic <= limit:
            continue
        tries += 1
        after = Seen(drawn(rng, strength * later), later)
        over += has_ended({"labels": [Seen(found, 1.0)]}, {"labels": after}, 48) is True
    assert over <= 12


def test_labels_decide_where_they_drifted():
    """That scores are as before says nothing of labels; without labels nothing can be told."""
    clear = Found(300.0, 1e-50, 0.3, freedom=9)
    quiet = Found(5.0, 0.8, 0.0, freedom=9)
    drift = {"scores": [Seen(clear, 1000.0)], "labels": [Seen(clear, 1000.0)]}
    after = {"scores": Seen(quiet, 1000.0), "labels": Seen(quiet, 20.0)}
    assert has_ended(drift, after, 8) is None
    assert has_ended(drift, {"scores": after["scores"]}, 8) is None
    assert has_ended({"scores": drift["scores"]}, after, 8) is True
    assert has_ended(drift, {**after, "labels": Seen(clear, 1000.0)}, 8) is False
