"""Signs that rows or labels are not what they are taken for, such as copies and blind labels.

Each sign compares the labels with a smooth curve of the score. Honest tables hardly ever show one,
whatever the model and the noise: see the tests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lwcal.arrays import BoolArray, FloatArray
from lwcal.diagnosis.rate_curve import SOFT, deviance, fit_curve, powers, smooth_rate
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.logit_counts import pool_by_logit, soft_logit
from lwcal.table import ScoreTable

FEWEST_TIES, FEW_MIXED, SURE_OF_COPIES = 10, 0.3, 4.0
"""Scores that occur several times; share of the expected ones with both labels; standard errors."""
FEWEST_BELOW, SURELY_MISSED, NEAREST = 20, 8.0, 0.1
"""Rows without a positive; positives expected there; share of the rows nearest to them."""
FEWEST_OF_LABEL, CAUTION = 5.0, 0.5
"""Rows of each label that a line needs; standard errors below the expected number."""
JUMP, AROUND, FEWEST_AROUND = 15.0, 3.0, 20
"""Deviance of a step; log-odds around the threshold; rows on each side of it."""
LEAST_ATOM, ALONE, OFF_CURVE = 0.02, 0.2, 5.0
"""Share of the rows with one score; most rows of any other score, relative to it; errors."""
UNLIKE = 0.1
"""Distance of the average score from one half."""
MOST_CLASSES = 50
"""Classes that are looked at, each against all others."""


class TableFaults(NamedTuple):
    """What may be wrong with a table, in sentences.

    Attributes
    ----------
    rows : tuple of str
        With its rows and scores: what they show is not what new rows will show.
    labels : tuple of str
        With its labels: they say less than they seem to. Checked ones tell.
    wrong : float
        Share of labels that are wrong, as far as these signs tell.
    """

    rows: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    wrong: float = 0.0

    def beside(self, other: TableFaults) -> TableFaults:
        """All of both; the same wrong labels may show as several signs."""
        return TableFaults(
            self.rows + other.rows, self.labels + other.labels, max(self.wrong, other.wrong)
        )


NO_FAULTS = TableFaults()


def find_faults(table: ScoreTable, threshold: float = 0.5) -> TableFaults:
    """Look for all signs in a table of two classes.

    Parameters
    ----------
    table : ScoreTable
        All rows with their labels, not pooled.
    threshold : float
        Score from which on the model decides for the positive class.

    Examples
    --------
    Every row is there five times:

    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(200)
    >>> labels = rng.random(200) < scores
    >>> find_faults(ScoreTable.from_arrays(scores, labels))
    TableFaults(rows=(), labels=(), wrong=0.0)
    >>> print(*find_faults(ScoreTable.from_arrays(scores.repeat(5), labels.repeat(5))).rows)
    Rows seem to be repeated: 200 scores count several times, and none of them has different ...
    """
    if min(table.n_negative, table.n_positive) < 1.0:
        return NO_FAULTS
    rows = (repeated_rows(table), default_score(table), sampled_by_label(table))
    unseen = unseen_rows(table)
    labels = (unseen.sentence, followed_decisions(table, threshold))
    return TableFaults(
        tuple(one for one in rows if one),
        tuple(one for one in labels if one),
        unseen.wrong / table.n,
    )


def find_class_faults(rows: ClassRows) -> TableFaults:
    """Look for copies and unseen rows, class by class; name each sign once."""
    found = NO_FAULTS
    for k in range(min(rows.n_classes, MOST_CLASSES)):
        is_class = rows.labels == k
        weights = np.where(is_class, rows.weights, 0.0), np.where(is_class, 0.0, rows.weights)
        if min(part.sum() for part in weights) < 1.0:
            continue
        table = ScoreTable.from_counts(rows.scores[:, k], weights[1], weights[0])
        copies, unseen = repeated_rows(table), unseen_rows(table, f"{rows.classes[k]!r}")
        found = TableFaults(
            found.rows or ((copies,) if copies else ()),
            found.labels or ((unseen.sentence,) if unseen.sentence else ()),
            found.wrong + unseen.wrong / table.n,
        )
    return found


def repeated_rows(table: ScoreTable) -> str:
    """Say that rows seem to be copies: those of equal scores have equal labels, too."""
    counts = table.negatives + table.positives
    tied = counts > 1.0
    if np.count_nonzero(tied) < FEWEST_TIES or not _are_whole(table):
        return ""
    rate, size = smooth_rate(table, table.scores[tied]), counts[tied]
    mixed = float(np.count_nonzero((table.negatives[tied] > 0) & (table.positives[tied] > 0)))
    chance = 1.0 - rate**size - (1.0 - rate) ** size
    expected, error = float(chance.sum()), float(np.sqrt((chance * (1.0 - chance)).sum()))
    if mixed >= FEW_MIXED * expected or expected - mixed < SURE_OF_COPIES * error:
        return ""
    number = "none of them has" if mixed == 0 else f"only {mixed:,.0f} of them have"
    return (
        f"Rows seem to be repeated: {len(size):,} scores count several times, and {number} "
        f"different labels, where {expected:,.0f} are expected. Keep each row once. Divide weights "
        "by their average if they are not numbers of rows."
    )


def default_score(table: ScoreTable) -> str:
    """Say that one score seems to stand for missing ones: many rows have it, and it misleads."""
    counts = table.negatives + table.positives
    place = int(counts.argmax())
    others = np.delete(counts, place)
    most = float(others.max(initial=0.0))
    is_atom = counts[place] >= LEAST_ATOM * table.n and most <= ALONE * counts[place]
    # rounded scores have few values, and some of them are frequent
    if not is_atom or len(others) < 0.5 * others.sum():
        return ""
    rest = np.arange(len(counts)) != place
    if min(table.negatives[rest].sum(), table.positives[rest].sum()) < 1.0:
        return ""
    kept = ScoreTable(table.scores[rest], table.negatives[rest], table.positives[rest])
    rate = float(smooth_rate(kept, table.scores[place : place + 1])[0])
    expected = rate * counts[place]
    off = (table.positives[place] - expected) / np.sqrt(max(expected * (1.0 - rate), 0.5))
    score = table.scores[place]
    # sharp models end at 0 and 1, where labels are then purer than a curve through the others says
    if abs(off) <= OFF_CURVE or (score == 1.0 and off > 0.0) or (score == 0.0 and off < 0.0):
        return ""
    return (
        f"{counts[place]:,.0f} rows have the score {table.scores[place]:.4g}, and "
        f"{table.positives[place]:,.0f} of them are labelled positive, where {expected:,.0f} are "
        "expected. Does it stand for a missing score? Leave such rows out."
    )


def sampled_by_label(table: ScoreTable) -> str:
    """Say that rows seem to be sampled: labels are balanced to the row, and scores are not."""
    average = float((table.negatives + table.positives) @ table.scores / table.n)
    if abs(table.n_positive - table.n_negative) > 1.0 or abs(average - 0.5) < UNLIKE:
        return ""
    return (
        f"As many rows are labelled positive as negative, though the average score is "
        f"{average:.0%}. Were rows sampled by their labels? Then correct for it "
        "(lwcal.shift.undo_sampling, --sampling-rate-negatives), or use all rows."
    )


class Unseen(NamedTuple):
    """What is said of rows that nobody seems to have looked at, and their wrong labels."""

    sentence: str = ""
    wrong: float = 0.0


def unseen_rows(table: ScoreTable, name: str = "positive") -> Unseen:
    """Say that no row beyond some score has a label that is expected there."""
    pooled = pool_by_logit(table)
    z = soft_logit(pooled.scores, SOFT)
    expected = _unseen(z, pooled.negatives, pooled.positives)
    if expected > SURELY_MISSED:
        cut = table.scores[np.flatnonzero(table.positives)[0]]
        return _unseen_at(f"below {cut:.3g}", name, expected)
    expected = _unseen(-z[::-1], pooled.positives[::-1], pooled.negatives[::-1])
    if expected > SURELY_MISSED:
        cut = table.scores[np.flatnonzero(table.negatives)[-1]]
        other = "negative" if name == "positive" else f"other than {name}"
        return _unseen_at(f"above {cut:.3g}", other, expected)
    return Unseen()


def _unseen_at(where: str, name: str, expected: float) -> Unseen:
    sentence = (
        f"No row with a score {where} is labelled {name}, where about {expected:,.0f} are expected "
        "by the other rows. Has anybody looked at these rows?"
    )
    return Unseen(sentence, expected)


def _unseen(z: FloatArray, negatives: FloatArray, positives: FloatArray) -> float:
    """Number of positives that are expected below the lowest one."""
    counts = negatives + positives
    first = int(np.flatnonzero(positives)[0])
    below = float(counts[:first].sum())
    if below < FEWEST_BELOW:
        return 0.0
    cumulated = np.cumsum(counts)
    size = min(below, cumulated[-1] - below, max(50.0, NEAREST * cumulated[-1]))
    # the curve of all other rows, and that of the nearest ones, which the first may not fit
    above = np.arange(len(counts)) >= first
    near_above = above & (cumulated <= below + size)
    near_below = ~above & (cumulated > below - size)
    if min(positives[near_above].sum(), negatives[near_above].sum()) < FEWEST_OF_LABEL:
        return 0.0
    return min(
        _surely_expected(z[fitted], negatives[fitted], positives[fitted], z[those], counts[those])
        for fitted, those in ((above, ~above), (near_above, near_below))
    )


def _surely_expected(
    z: FloatArray, negatives: FloatArray, positives: FloatArray, at: FloatArray, counts: FloatArray
) -> float:
    """Positives that a line through some rows expects in others, rather too few.

    The line of a sharp model has few rows to rest on, and says little beyond them.
    """
    design, further = powers(z, 1), powers(at, 1)
    found, information = fit_curve(design, negatives, positives)
    there = expit(further @ found)
    gradient = (counts * there * (1.0 - there)) @ further
    variance = gradient @ np.linalg.solve(information, gradient)
    return float(counts @ there - CAUTION * np.sqrt(variance))


def followed_decisions(table: ScoreTable, threshold: float) -> str:
    """Say that labels jump at the threshold, as if they followed the decision of the model."""
    pooled = pool_by_logit(table)
    z = soft_logit(pooled.scores, SOFT) - float(soft_logit(np.array([threshold]), SOFT)[0])
    near: BoolArray = np.abs(z) < AROUND
    z, negatives, positives = z[near], pooled.negatives[near], pooled.positives[near]
    step = (z >= 0.0).astype(float)
    counts = negatives + positives
    sides = float(counts @ step), float(counts @ (1.0 - step))
    if min(*sides, 4.0 * negatives.sum(), 4.0 * positives.sum()) < FEWEST_AROUND:
        return ""
    smooth = powers(z, 3)
    with_step = np.column_stack([smooth, step])
    coefficients, _ = fit_curve(with_step, negatives, positives)
    at_step = deviance(with_step @ coefficients, negatives, positives)
    without = deviance(smooth @ fit_curve(smooth, negatives, positives)[0], negatives, positives)
    if without - at_step <= JUMP or coefficients[-1] <= 0.0:
        return ""
    return (
        f"Labels jump where the score reaches {threshold:g}, the threshold of the model. Did "
        "whoever labelled the rows see the decision of the model?"
    )


def _are_whole(table: ScoreTable) -> bool:
    """Whether counts are numbers of rows, and not weights."""
    return all(bool((part == np.floor(part)).all()) for part in (table.negatives, table.positives))
