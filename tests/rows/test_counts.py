"""Counts on a grid: the same bits for any partition and any order of the rows."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal import ScoreTable
from lwcal.rows.counts import GRID, LIMIT, RowCounter
from tests.strategies import rows

near = st.builds(
    lambda k, e: min(1.0, (k + e) * GRID), st.integers(0, 2**20), st.sampled_from([0.0, 0.25, 0.75])
)
"""Scores of which many share a bin."""


def table_of(scores, labels, limit):
    """The table of rows, with a limit of distinct scores."""
    return ScoreTable.from_frame({"s": scores, "y": labels}, "s", "y", limit=limit)


def bits(table):
    """Everything a table holds."""
    columns = [table.scores, table.negatives, table.positives]
    ends = [] if table.low is None else [table.low, table.high]
    return [column.tobytes() for column in columns + ends]


@given(
    data=rows(min_size=4, max_size=40, elements=st.one_of(near, st.just(0.5))),
    limit=st.integers(1, 50),
    seed=st.integers(0, 99),
    cuts=st.lists(st.integers(0, 40), max_size=4),
)
def test_any_partition_in_any_order_gives_the_same_bits(data, limit, seed, cuts):
    """Below the limit, above it, and where only some parts are above; so does the fit."""
    scores, labels = data
    whole = table_of(scores, labels, limit)
    order = np.random.default_rng(seed).permutation(len(scores))
    edges = sorted({0, len(scores), *(cut for cut in cuts if cut < len(scores))})
    parts = [
        table_of(scores[order[a:b]], labels[order[a:b]], limit)
        for a, b in itertools.pairwise(edges)
    ]
    merged = ScoreTable.merge(parts)
    assert bits(merged) == bits(whole)
    assert (merged.grid is None) == (len(set(scores.tolist())) <= limit)
    one, other = (lwcal.LWCal().fit_table(table) for table in (whole, merged))
    assert one.map_.to_dict() == other.map_.to_dict()
    assert one.grid_ == other.grid_ == whole.grid


@given(data=rows(min_size=2, elements=near))
def test_a_rounded_fit_is_the_fit_to_the_rounded_scores(data):
    """A bin stands for the middle of its lowest and highest score; ties are not moved."""
    scores, labels = data
    bins = np.floor(scores / GRID)
    middle = {
        b: (scores[bins == b].min() + scores[bins == b].max()) / 2 for b in set(bins.tolist())
    }
    rounded = np.array([middle[b] for b in bins.tolist()])
    table = table_of(scores, labels, limit=0)
    expected = ScoreTable.from_arrays(rounded, labels)
    assert bits(table)[:3] == bits(expected)
    assert table.n == len(scores)
    assert table.disagreement() == ScoreTable.from_arrays(scores, labels).disagreement()


@given(data=rows(min_size=3, elements=near), chunk=st.integers(1, 7), limit=st.integers(0, 9))
def test_batches_of_any_size_give_the_same_counts(data, chunk, limit):
    """Also where the limit is passed in the middle, and with fractional weights."""
    scores, labels = data
    weights = np.linspace(0.1, 1.7, len(scores))
    whole, parts = RowCounter(limit, chunk=4), RowCounter(limit, chunk=4)
    codes = labels.astype(np.uint8)
    whole.add(scores, codes, weights)
    for begin in range(0, len(scores), chunk):
        part = slice(begin, begin + chunk)
        parts.add(scores[part], codes[part], weights[part])
    for a, b in zip(whole.counts(), parts.counts(), strict=True):
        assert np.array_equal(a, b)


def test_the_limit_is_a_million_scores():
    """One more, and scores are rounded; arrays in memory stay exact, and so do their sums."""
    scores = (np.arange(LIMIT + 1) + 0.5) / (LIMIT + 2)
    labels = np.arange(LIMIT + 1) % 2
    assert table_of(scores[1:], labels[1:], LIMIT).grid is None
    assert table_of(scores, labels, LIMIT).grid == GRID
    exact = ScoreTable.from_arrays(scores, labels)
    assert exact.grid is (exact + exact).grid is None
    assert len(exact + exact) == LIMIT + 1


def test_the_smallest_limit_holds():
    """A table that must stay small keeps its promise in sums."""
    a = ScoreTable.from_arrays([0.1, 0.9], [0, 1])
    b = table_of([0.2, 0.8], [0, 1], limit=3)
    c = table_of([0.3, 0.7], [0, 1], limit=9)
    assert (a + a).limit is None
    assert (a + b).limit == (b + c).limit == 3
    assert (b + c).grid == GRID
    assert repr(b + c) == "ScoreTable(4 rows, 4 bins of width 2^-20, 50.0% positive)"


def test_nothing_was_counted():
    """An empty counter has empty counts."""
    assert len(RowCounter().counts().scores) == 0
