"""Cross-fitting from counts: every row once, by a calibrator that did not see it."""

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from lwcal import Auto, Isotonic, NoiseAware, Platt, ScoreTable
from lwcal.calibrators.base import Fitted
from lwcal.calibrators.crossfit import (
    cross_fit,
    cross_predict,
    cross_predict_together,
    split,
)
from lwcal.calibrators.identity import Identity
from lwcal.maps import PiecewiseLinearMap
from tests.strategies import rows


@st.composite
def tables(draw, fractional=False):
    """Distinct scores with counts of both labels, at least two rows of each class."""
    scores = sorted(draw(st.sets(st.integers(0, 1000), min_size=2, max_size=25)))
    weights = st.integers(0, 7)
    if fractional:
        weights = weights.map(lambda k: k / 2 + 0.25 * (k > 0))
    sides = [
        draw(npst.arrays(np.float64, len(scores), elements=weights.map(float))) for _ in range(2)
    ]
    for side in sides:
        side[:2] += 1.0  # so that no class is in one fold only
    return ScoreTable.from_counts(np.array(scores) / 1000, *sides)


def cells(table):
    """Counts by score."""
    columns = (table.scores, table.negatives, table.positives)
    return {score: (a, b) for score, a, b in zip(*columns, strict=True)}


class Spy(Identity):
    """Remember the tables that it is fitted to, and give each fit its own probability."""

    seen: ClassVar[list] = []

    def _fit(self, table):
        self.seen.append(table)
        level = len(self.seen) / 100
        return Fitted(PiecewiseLinearMap(np.array([0.5]), np.array([level])), {})


@given(table=st.one_of(tables(), tables(fractional=True)), folds=st.integers(2, 7))
def test_folds_partition_the_counts(table, folds):
    """Every fold and its rest are the table; all folds together too."""
    parts = list(split(table, folds))
    for rest, fold in parts:
        assert cells(rest + fold) == cells(table)
        assert rest.n_negative > 0
        assert rest.n_positive > 0
        assert (fold.negatives + fold.positives > 0).all()
        assert (rest.negatives + rest.positives > 0).all()
    assert cells(ScoreTable.merge([fold for _, fold in parts])) == cells(table)


@given(table=tables(), folds=st.integers(2, 7))
def test_folds_have_the_same_mix(table, folds):
    """Of whole rows, sizes differ by at most one in each class."""
    parts = [fold for _, fold in split(table, folds)]
    for name in ("n_negative", "n_positive"):
        sizes = [getattr(fold, name) for fold in parts] + [0.0] * (folds - len(parts))
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("fractional", [False, True])
@given(data=st.data())
def test_a_calibrator_never_sees_what_it_predicts(fractional, data):
    """What was seen in one fold and what was predicted add up to the table."""
    table = data.draw(tables(fractional=fractional))
    Spy.seen.clear()
    predicted = cross_fit(Spy, table)
    assert predicted.n == table.n  # every row once
    for number, seen in enumerate(Spy.seen, start=1):
        mine = predicted.scores == number / 100
        assert mine.sum() == 1
        for name in ("negatives", "positives"):
            left_out = getattr(predicted, name)[mine][0]
            assert getattr(seen, name).sum() + left_out == getattr(table, name).sum()
    assert len(Spy.seen) == len(predicted)


def test_a_left_out_row_does_not_influence_its_own_prediction():
    """One wild row: those of its fold are predicted as if it was not there."""
    scores = np.arange(1, 21) / 21
    tame = np.repeat([0, 1], 10)
    wild = tame.copy()
    wild[-1] = 0
    # the last positive is dealt to a fold with the fifth; take it away instead of flipping it
    with_it = ScoreTable.from_arrays(scores, tame)
    rest = [seen for seen, fold in split(with_it, 5) if scores[-1] in fold.scores]
    assert len(rest) == 1
    assert scores[-1] not in rest[0].scores
    expected = Platt().fit_table(rest[0]).predict(scores[-1:])[0]
    assert expected in cross_fit(Platt, with_it).scores
    assert cells(cross_fit(Platt, ScoreTable.from_arrays(scores, wild))) != cells(
        cross_fit(Platt, with_it)
    )


@settings(max_examples=30)
@given(data=rows(min_size=4), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(data, seed):
    """They are dealt out by their scores."""
    scores, labels = data
    order = np.random.default_rng(seed).permutation(len(scores))
    first = cross_fit(Isotonic, ScoreTable.from_arrays(scores, labels))
    second = cross_fit(Isotonic, ScoreTable.from_arrays(scores[order], labels[order]))
    assert cells(first) == cells(second)


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_one_row_of_each_class_judges_itself(weight):
    """Nothing can be left out, so all rows are fitted, and all predicted."""
    table = ScoreTable.from_arrays([0.2, 0.7], [0, 1], [weight, weight])
    assert list(split(table, 5)) == []
    Spy.seen.clear()
    predicted = cross_fit(Spy, table)
    assert [seen.n for seen in Spy.seen] == [table.n]
    assert predicted.n == table.n


def test_a_single_positive_is_never_left_out():
    """The fold that holds it is passed over, with its negatives; the others are judged."""
    table = ScoreTable.from_arrays(np.arange(11) / 10, [0] * 10 + [1])
    parts = list(split(table, 5))
    assert len(parts) == 4
    assert all(rest.n_positive == 1 for rest, _ in parts)
    predicted = cross_fit(Platt, table)
    assert (predicted.n_negative, predicted.n_positive) == (8, 0)


def test_cross_fitting_is_more_sober_than_fitting():
    """Isotonic on pure chance: it looks informative on its own rows, and is not on others."""
    rng = np.random.default_rng(0)
    table = ScoreTable.from_arrays(rng.random(300), rng.integers(0, 2, 300))

    def squared(predicted):
        p = predicted.scores
        return (predicted.negatives @ p**2 + predicted.positives @ (1 - p) ** 2) / table.n

    own = Isotonic().fit_table(table).predict(table.scores)
    fitted = ScoreTable.from_counts(own, table.negatives, table.positives)
    assert squared(fitted) < 0.25 < squared(cross_fit(Isotonic, table))


def test_calibrators_of_one_posterior_predict_as_each_alone(noisy_rows):
    """They are fitted to the same folds."""
    table = ScoreTable.from_arrays(*noisy_rows)
    kinds = {"noise-aware": NoiseAware, "auto": Auto}
    together = cross_predict_together({name: kind() for name, kind in kinds.items()}, table)
    for name, kind in kinds.items():
        alone = cross_predict(kind, table)
        for found, expected in zip(together[name], alone, strict=True):
            assert (found == expected).all(), name
