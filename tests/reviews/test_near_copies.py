"""Reviewers who repeat each other are named, and nobody else is."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.near_copies import APART, COPIED, Kind

import lwcal
from lwcal.reviews import near_copies as module
from lwcal.reviews.near_copies import near_copies
from lwcal.reviews.opinion_rows import stacked
from tests.reviews.simulated import simulated_rows


def named(rows):
    """Pairs of names."""
    return [(pair.one, pair.other) for pair in near_copies(rows)]


def repeating(rows, who, whom, share, seed=0):
    """Rows of which everybody labels all, where one repeats another on a share of them."""
    rng = np.random.default_rng(seed)
    table = np.full((len(rows.weights), len(rows.names)), -1)
    table[rows.rows, rows.reviewers] = rows.labels
    repeats = rng.random(len(table)) < share
    table[repeats, who] = table[repeats, whom]
    return replace(rows, labels=table[rows.rows, rows.reviewers])


@pytest.mark.parametrize("title", list(APART))
def test_independent_reviewers_are_not_accused(title):
    """However hard rows are, and whatever scores say."""
    assert near_copies(APART[title].draw(seed=1)) == ()


@pytest.mark.parametrize("title", [title for title, kind in COPIED.items() if kind.n >= 500])
def test_copies_are_named(title):
    """With three or more; two cannot be told from two who are right."""
    kind = COPIED[title]
    found = near_copies(kind.draw(seed=1))
    assert [(pair.one, pair.other) for pair in found] == [(0, 1)] * (kind.reviewers > 2)
    assert all(abs(pair.copied - kind.copied) < 0.12 for pair in found)
    assert all(pair.rows <= kind.n for pair in found)


def test_copies_among_several_classes():
    """Three who say the same are one group; the others are apart from them."""
    rows = simulated_rows(1500, 4, 4, seed=3, opinions=4)
    assert named(rows) == []
    rows = repeating(repeating(rows, 1, 0, 0.85), 3, 0, 0.85, seed=1)
    assert {name for pair in named(rows) for name in pair} == {"r0", "r1", "r3"}


def test_neither_order_nor_pooling_matters():
    """A row of weight two is that row twice."""
    rows = COPIED["80% copied"].draw(seed=2)
    shuffled = rows.part(np.random.default_rng(0).permutation(len(rows.weights)))
    twice = replace(rows, weights=2.0 * rows.weights)
    both = stacked([rows, rows])
    for some, others, n in ((rows, shuffled, 2000.0), (twice, both, 4000.0)):
        (one,), (other,) = near_copies(some), near_copies(others)
        assert one[:2] == other[:2] == (0, 1)
        assert one.rows == other.rows == n
        assert one.copied == pytest.approx(other.copied, abs=1e-6)


def test_a_sample_and_groups_of_reviewers_are_enough(monkeypatch):
    """Rows beyond a limit are sampled; those with the fewest labels are never named together."""
    monkeypatch.setattr(module, "MOST_SHARED", 3000)
    (pair,) = near_copies(COPIED["80% copied"].draw(seed=4))
    assert pair.rows == 2000.0
    monkeypatch.setattr(module, "MOST_RATES", 8)
    rows = repeating(Kind(reviewers=8).draw(seed=0), 6, 7, 0.85)
    assert near_copies(rows) == ()  # both are among the others


def test_one_label_a_row_has_no_copies():
    """Nobody shares a row."""
    assert near_copies(simulated_rows(100, 2, 3, seed=0, opinions=1)) == ()


def test_a_copy_changes_the_fit_no_more_than_it_tells(tmp_path):
    """The map is about that without the copy, and the consensus is no surer."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, 2000)
    truth = rng.random(2000) < scores
    ann, cem = (truth ^ (rng.random(2000) < 0.2) for _ in range(2))
    bob = np.where(rng.random(2000) < 0.9, ann, truth ^ (rng.random(2000) < 0.2))
    apart = lwcal.Reviewed().fit(scores, np.stack([ann, cem], axis=1), reviewers=["Ann", "Cem"])
    labels, names = np.stack([ann, bob, cem], axis=1), ["Ann", "Bob", "Cem"]
    fitted = lwcal.Reviewed().fit(scores, labels, reviewers=names)
    grid = np.linspace(0.02, 0.98, 49)
    assert np.abs(fitted.predict(grid) - apart.predict(grid)).max() < 0.03
    for one in fitted.reviews_.reviewers:
        assert one.labels == 2000.0
        assert one.wrong.low < 0.2 < one.wrong.high
    assert "'Ann' and 'Bob' make the same mistakes" in fitted.reviews_.warning
    found = fitted.consensus(scores, labels, reviewers=names)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
    said = np.take_along_axis(found.probabilities, truth[:, None].astype(int), axis=1)
    without = apart.consensus(scores, labels[:, [0, 2]], reviewers=["Ann", "Cem"])
    other = np.take_along_axis(without.probabilities, truth[:, None].astype(int), axis=1)
    assert -np.log(said).mean() < -np.log(other).mean() + 0.01
    lwcal.save(fitted, tmp_path / "fitted.json")
    again = lwcal.load(tmp_path / "fitted.json")
    assert again.reviews_.near_copies == fitted.reviews_.near_copies
    assert again.reviews_.warning == fitted.reviews_.warning


def test_among_many_pairs_agreement_says_which_are_fitted(monkeypatch):
    """Of 120 pairs, a copy is conspicuous; independent reviewers cost no fit."""
    ((first, second),) = named(Kind(n=300, reviewers=16, copied=0.8).draw(0))
    alone = Kind(n=300, reviewers=16).draw(0)
    assert {first, second} == set(alone.names[:2])
    monkeypatch.setattr(module, "PairModel", None)  # which nobody calls
    assert near_copies(alone) == ()
