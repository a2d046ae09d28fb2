"""Pairs of reviewers who agree more than independent ones can: one may copy the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, rel_entr

from lwcal.arrays import FloatArray
from lwcal.multiclass.class_posterior import MOST_ROWS
from lwcal.reviews.agreement import pairs_of_opinions
from lwcal.reviews.one_voice import one_voice
from lwcal.reviews.opinion_rows import MOST_RATES, OTHERS, OpinionRows
from lwcal.reviews.pair_model import START_COPIED, Pair, PairFit, PairModel

LEAST_REVIEWERS = 3
"""With two, a copy looks like two reviewers who are always right, whatever the scores say."""
LEAST_ROWS = 20.0
"""Rows that a pair has to share to be looked at."""
MOST_PAIRS = 6
"""Pairs that are fitted. Of more, those with the most unexpected agreement."""
MANY_PAIRS, CONSPICUOUS = 100, 0.5
"""Where there are more pairs, agreement alone has to reach this share of the limit. A fit takes
long, and chance makes some of so many pairs agree more than others."""
LEAST = 1e-6
ROUNDS = 20
"""In which it is found how far each reviewer agrees with all others."""
MOST_SHARED = 2_000_000
"""Pairs of opinions on the same row that are looked at. Of more, a sample of the rows."""
CHANCE = 1e-3
"""Probability that chance alone makes any of the pairs conspicuous."""
TESTED_ROWS = 100.0
"""Rows that every two of three reviewers have to share for a copy to show in most cases."""
LEAST_COPIED = 0.3
"""Share of copied labels below which nothing is said: hard rows can look like a few copies."""


class NearCopy(NamedTuple):
    """Two reviewers of whom one seems to repeat the other.

    Attributes
    ----------
    one, other : any
        Their names. Who copied whom cannot be told.
    rows : float
        Number of rows that both labelled.
    copied : float
        Share of these rows on which they seem to be one opinion.
    """

    one: Any
    other: Any
    rows: float
    copied: float


def near_copies(rows: OpinionRows) -> tuple[NearCopy, ...]:
    """Find pairs that share more labels than truth, scores and hard rows explain.

    For each pair, a model in which one repeats the other now and then is compared with the same
    model without. The limit allows for the number of pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 1000)
    >>> truth = rng.random(1000) < scores
    >>> ann, bob, cem = truth ^ (rng.random((3, 1000)) < 0.2)
    >>> bob = np.where(rng.random(1000) < 0.9, ann, bob)
    >>> labels = np.stack([ann, bob, cem], axis=1).astype(int)
    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import read_reviews
    >>> found = near_copies(read_reviews(scores, as_opinions(labels, ["Ann", "Bob", "Cem"])).rows)
    >>> [(pair.one, pair.other, pair.rows, round(pair.copied, 1)) for pair in found]
    [('Ann', 'Bob', 1000.0, 0.9)]
    """
    few, found = _few_enough(rows), list[NearCopy]()
    # one pair after the other: a copy makes others look like copies until it is accounted for
    while len(found) < len(rows.names):
        pair = _strongest(one_voice(few, [(pair.one, pair.other) for pair in found]).rows)
        if pair is None:
            break
        found.append(pair)
    return tuple(pair._replace(rows=_rows_of(rows, pair)) for pair in found)


def copies_would_show(rows: OpinionRows) -> bool:
    """Whether there are three reviewers of whom every two share enough rows.

    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import coded
    >>> copies_would_show(coded(as_opinions([[1, 1, 0], [0, 1, 1]] * 100)))
    True
    >>> copies_would_show(coded(as_opinions([[1, 1], [0, 1]] * 100)))
    False
    """
    n = len(rows.names)
    pairs, _, weights = pairs_of_opinions(rows)
    shared = np.bincount(pairs, weights, minlength=n * n).reshape(n, n)
    enough = np.asarray(shared + shared.T >= TESTED_ROWS, dtype=np.float32)
    return bool((enough @ enough * enough).any())


def _strongest(rows: OpinionRows) -> NearCopy | None:
    """The pair whose labels speak most for a copy; None if none of them does."""
    if len(rows.names) < LEAST_REVIEWERS or not (rows.opinions > 1).any():
        return None
    shared, excess, gains = _unexpected(rows)
    if rows.names[-1] == OTHERS:
        shared[:, -1] = 0.0
    pairs = np.argwhere(np.triu(shared >= LEAST_ROWS, 1))
    if not len(pairs):
        return None
    # twice the gain is above 0 in half of the cases, and chi-squared then
    limit = float(ndtri(CHANCE / len(pairs)) ** 2) / 2.0
    if len(pairs) > MANY_PAIRS:  # of fewer, agreement alone does not tell the good from copies
        pairs = pairs[gains[tuple(pairs.T)] >= CONSPICUOUS * limit]
        if not len(pairs):
            return None
    model = PairModel(rows)
    base, found = model.fit(model.start()), None
    for place in np.argsort(-excess[tuple(pairs.T)], kind="stable")[:MOST_PAIRS]:
        first, second = pairs[place].tolist()
        gain, copied = _gain(model, base, model.pair(first, second), limit)
        if gain > limit and copied >= LEAST_COPIED:
            limit = gain
            found = NearCopy(rows.names[first], rows.names[second], 0.0, copied)
    return found


def _gain(model: PairModel, base: PairFit, pair: Pair, limit: float) -> tuple[float, float]:
    """How much likelier the opinions are if one of a pair copies, and on which share of rows."""
    copying = model.fit(model.start()._replace(copied=START_COPIED), pair, least=LEAST_COPIED / 2)
    gain = copying.value - base.value
    if gain > limit and copying.copied >= LEAST_COPIED:
        gain = min(gain, copying.value - model.fit(copying).value)
    return gain, copying.copied


def _few_enough(rows: OpinionRows) -> OpinionRows:
    """A sample of the rows, if they have too many pairs of opinions, and the busiest reviewers."""
    rows = rows.grouped(max(MOST_RATES // rows.n_classes, 2))
    given = rows.opinions.astype(float)
    pairs = float((given * (given - 1.0)).sum()) / 2.0
    most = len(given) * min(MOST_SHARED / max(pairs, 1.0), 1.0)
    return rows.pooled().sample(max(min(int(most), MOST_ROWS), 1))


def _rows_of(rows: OpinionRows, pair: NearCopy) -> float:
    """Rows that both labelled."""
    said = np.zeros((2, len(rows.weights)), dtype=np.bool_)
    for place, name in enumerate((pair.one, pair.other)):
        said[place, rows.rows[rows.reviewers == rows.names.index(name)]] = True
    return float(rows.weights[said.all(axis=0)].sum())


def _unexpected(rows: OpinionRows) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows that every two reviewers share, and how much more they agree than both do with others.

    Of independent reviewers, agreement beyond chance is about the product of how good each is. The
    last array says how much likelier the share of equal labels is if it need not be that.
    """
    n, k = len(rows.names), rows.n_classes
    pairs, cells, weights = pairs_of_opinions(rows)
    sums = np.bincount(pairs * k * k + cells, weights, minlength=n * n * k * k)
    tables = sums.reshape(n * n, k, k)
    shared = tables.sum(axis=(1, 2))
    total = np.maximum(shared, 1e-9)
    equal = np.trace(tables, axis1=1, axis2=2) / total
    chance = np.einsum("pi,pi->p", tables.sum(axis=1), tables.sum(axis=2)) / total**2
    beyond = np.where(shared > 0.0, (equal - chance) / np.maximum(1.0 - chance, 0.1), 0.0)
    kappa, shared = beyond.reshape(n, n), shared.reshape(n, n)
    both_ways, values = shared + shared.T, kappa + kappa.T
    good = np.full(n, 0.7)
    for _ in range(ROUNDS):
        found = (both_ways * values) @ good / np.maximum(both_ways @ good**2, 1e-9)
        good = np.clip((good + found) / 2.0, 0.0, 1.0)
    unexpected = kappa - np.outer(good, good)
    by_chance = chance.reshape(n, n)
    expected = np.clip(by_chance + (1.0 - by_chance) * np.outer(good, good), LEAST, 1.0 - LEAST)
    found = equal.reshape(n, n)
    gains = shared * (rel_entr(found, expected) + rel_entr(1.0 - found, 1.0 - expected))
    return shared, unexpected * np.sqrt(shared), np.where(unexpected > 0.0, gains, 0.0)
