"""Agreement, against published values and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from lwcal.reviews.agreement import agreement_of
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import coded

N = None
EXAMPLE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
"""Four observers of twelve units; Krippendorff (2011), "Computing Krippendorff's
Alpha-Reliability", part C."""


def measured(labels):
    """Agreement of a table of labels."""
    return agreement_of(coded(as_opinions(labels)))


def test_krippendorffs_own_example():
    """With missing values."""
    assert measured(np.array(EXAMPLE, dtype=object).T).alpha == pytest.approx(0.743, abs=5e-4)


def test_kappa_of_two_reviewers_is_scikit_learns():
    """And the share of equal labels."""
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, 200)
    other = np.where(rng.random(200) < 0.6, one, rng.integers(0, 3, 200))
    found = measured(np.stack([one, other], axis=1))
    assert found.kappa == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)
    assert found.equal == pytest.approx((one == other).mean())


def test_chance_and_perfect_agreement():
    """Both ends of the scale."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (5000, 3))
    assert abs(measured(labels).alpha) < 0.03
    assert measured(np.repeat(labels[:, :1], 3, axis=1)).alpha == pytest.approx(1.0)


def test_one_opinion_a_row_says_nothing():
    """There is nothing to compare."""
    found = measured([[0, None], [None, 1]])
    assert found.alpha is None
    assert found.kappa is None
    assert found.rows == 0


def test_copies_are_noticed():
    """Two columns that never differ may be one; independent ones differ."""
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, 2, (2, 200))
    found = agreement_of(coded(as_opinions(np.stack([one, other, one], axis=1), list("abc"))))
    assert found.never_differ == (("a", "c", 200.0),)
    few = agreement_of(coded(as_opinions(np.stack([one, one], axis=1)[:40])))
    assert few.never_differ == ()
