"""Rows stay the same rows, however they are ordered and pooled."""

from dataclasses import replace

import numpy as np
import pytest

from lwcal.reviews.inference import infer_reviews
from tests.reviews.simulated import simulated_rows


def described(rows):
    """Every row as text, whatever the order."""
    said = [[] for _ in rows.weights]
    for place, who, label in zip(rows.rows, rows.reviewers, rows.labels, strict=True):
        said[place].append((int(who), int(label)))
    pairs = zip(rows.scores.tolist(), rows.truths.tolist(), map(sorted, said), strict=True)
    return sorted(map(repr, pairs))


def stacked(one, other):
    """Rows of both."""
    together = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("scores", "weights", "truths", "reviewers", "labels")
    }
    rows = np.concatenate([one.rows, other.rows + len(one.weights)])
    return replace(one, rows=rows, **together)


def test_a_part_is_made_of_its_rows():
    """In any order."""
    rows = simulated_rows(50, 3, 4, seed=0, checked=0.2)
    chosen = np.random.default_rng(0).permutation(50)
    assert described(rows.part(chosen)) == described(rows)
    first, second = rows.part(chosen[:20]), rows.part(chosen[20:])
    assert sorted(described(first) + described(second)) == described(rows)
    assert (np.diff(first.rows) >= 0).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_of_equal_values_are_one(n_classes):
    """With twice the weight."""
    rows = simulated_rows(60, n_classes, 3, seed=1, checked=0.1)
    twice = stacked(rows, rows)
    pooled, expected = twice.pooled(), rows.pooled()
    assert described(pooled) == described(expected)
    assert pooled.weights == pytest.approx(2.0 * expected.weights)


def test_many_scores_of_two_classes_are_pooled_on_a_grid():
    """No opinion is lost."""
    rows = simulated_rows(5000, 2, 3, seed=2)
    pooled = rows.pooled()
    assert len(pooled.weights) < 2000
    assert pooled.n == pytest.approx(rows.n)
    assert np.bincount(pooled.labels, pooled.weights[pooled.rows]) == pytest.approx(
        np.bincount(rows.labels, rows.weights[rows.rows])
    )


def test_opinions_without_names_are_still_those_opinions():
    """As many of each label."""
    rows = simulated_rows(200, 3, 4, seed=3)
    found = rows.anonymous()
    assert set(found.reviewers) == {0}
    assert np.bincount(found.labels, found.weights[found.rows]) == pytest.approx(
        np.bincount(rows.labels)
    )


def test_reviewers_with_few_labels_are_one_group():
    """The last one."""
    rows = simulated_rows(300, 2, 10, seed=4)
    busy = replace(rows, reviewers=np.where(rows.reviewers < 7, 0, rows.reviewers))
    found = busy.grouped(3)
    assert found.names[0] == "r0"
    assert found.names[-1] == "others"
    assert len(found.names) == 3
    assert rows.grouped(10) is rows


def test_a_sample_keeps_what_shows_noise():
    """Rows with several opinions, and a uniform sample of the others."""
    many = simulated_rows(3000, 3, 3, seed=5, opinions=1)
    few = simulated_rows(100, 3, 3, seed=6, opinions=2)
    rows = stacked(many, few)
    found = rows.sample(500)
    assert (found.opinions > 1).sum() == 100
    assert (found.opinions == 1).sum() == 500
    shuffled = rows.part(np.random.default_rng(0).permutation(3100)).sample(500)
    assert described(shuffled) == described(found)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_rows_does_not_matter(n_classes):
    """To the last bit."""
    rows = simulated_rows(300, n_classes, 3, seed=7, checked=0.1)
    shuffled = rows.part(np.random.default_rng(1).permutation(300))
    one, other = infer_reviews(rows), infer_reviews(shuffled)
    assert one.probabilities.tobytes() == other.probabilities.tobytes()
    assert one.scaling.matrix.tobytes() == other.scaling.matrix.tobytes()
