"""Choose the rows for a second opinion: an equal-probability sample, spread over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import BoolArray, FloatArray, IndexArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.numerics.systematic import cells_of, systematic_sample
from lwcal.parameters import COUNT, check_parameter
from lwcal.reviews.name_keys import reviewer_key
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.opinions import Opinions, as_opinions
from lwcal.reviews.reading import read_reviews
from lwcal.rows import ArrayLike


@dataclass(frozen=True, eq=False)
class OpinionPlan:
    """Rows to ask another reviewer about, in the order to ask.

    Attributes
    ----------
    rows : int64 array of shape (n,)
        Positions of the rows, from 0, in random order. The first part of a plan is therefore a
        sample of the same kind.
    strata : int64 array of shape (n,)
        Part of the rows that each was drawn from. Rows are sorted by label and score, and cut
        into n parts of equal size.
    probabilities : float64 array of shape (n,)
        Probability with which each row was picked; the same for all rows.
    asked : tuple of tuples
        Reviewers who labelled each row already, and must not be asked again. They are empty if
        nobody knows who gave the labels.
    reviewers : tuple
        All reviewers that are known.
    eligible : int
        Number of rows to pick from.
    random_state : int
        Random seed. The same seed and rows give the same plan.
    """

    rows: IndexArray
    strata: IndexArray
    probabilities: FloatArray
    asked: tuple[tuple[Any, ...], ...]
    reviewers: tuple[Any, ...]
    eligible: int
    random_state: int

    @property
    def may_ask(self) -> tuple[tuple[Any, ...], ...]:
        """Known reviewers who did not label each row; anybody else may be asked too."""
        return tuple(
            tuple(name for name in self.reviewers if name not in asked) for asked in self.asked
        )


def plan_opinions(
    scores: ArrayLike,
    y: Any,
    n: int = 100,
    *,
    reviewers: Any = None,
    for_reviewer: Any = None,
    most_opinions: int = 1,
    random_state: int = 0,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
    scale: str | None = None,
) -> OpinionPlan:
    """Choose rows for a second opinion, with equal probability and spread over labels and scores.

    Rows are sorted by label, then by score, as :func:`lwcal.plan_audit` does. Every k-th row is
    taken, from a random start. So no label and no range of scores is missed by chance. A fit does
    not need to know the probability: it describes labels given the score.

    Parameters
    ----------
    scores : of shape (n,) or (n, K)
        Scores of all rows, as in :meth:`lwcal.Reviewed.fit`.
    y : of shape (n,) or (n, R), or Opinions
        The labels so far.
    n : int, default 100
        Number of rows to ask about; at most the number of rows that can be chosen.
    reviewers : of shape (n,), (R,) or (n, R), optional
        Who gave each label, or the name of each column; default: the names of the columns.
    for_reviewer : any, optional
        Who will be asked. Rows that they labelled already are not chosen.
    most_opinions : int, default 1
        Rows with more opinions than this are not chosen. Rows without any are never chosen.
    random_state : int, default 0
        Random seed.
    pos_label : optional
        The positive class of scores of shape (n,), if it is not obvious from the labels.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores of one class; default: probability.

    Returns
    -------
    OpinionPlan

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(1000)
    >>> labels = rng.random(1000) < scores
    >>> who = rng.choice(["Ann", "Bob"], 1000)
    >>> plan = plan_opinions(scores, labels, 50, reviewers=who, for_reviewer="Bob")
    >>> len(plan.rows), set(who[plan.rows].tolist()), plan.may_ask[0]
    (50, {'Ann'}, ('Bob',))
    """
    check_parameter("n", n, COUNT)
    check_parameter("most_opinions", most_opinions, COUNT)
    opinions = as_opinions(y, reviewers)
    # one column of labels, and no names: nobody knows who gave them
    is_anonymous = reviewers is None and not isinstance(y, Opinions) and _is_column(y)
    rows = read_reviews(scores, opinions, classes=classes, pos_label=pos_label, scale=scale).rows
    if for_reviewer is not None and is_anonymous:
        raise ParameterError(message("reviewers with for_reviewer", "labels without names"))
    eligible = eligible_rows(opinions, for_reviewer, most_opinions)
    _check_number(n, len(eligible), most_opinions, for_reviewer)
    part = rows.part(eligible)
    found = systematic_sample(cells_of(part.scores, _commonest(part)), int(n), random_state)
    picked = eligible[found.rows]
    return OpinionPlan(
        picked,
        found.strata,
        np.full(int(n), n / len(eligible)),
        tuple(() for _ in picked) if is_anonymous else _asked(opinions, picked),
        () if is_anonymous else opinions.names,
        len(eligible),
        random_state,
    )


def eligible_rows(opinions: Opinions, for_reviewer: Any, most_opinions: int) -> IndexArray:
    """Rows with few enough opinions, none of them by the reviewer who will be asked."""
    counts = opinions.counts
    chosen = (counts > 0) & (counts <= most_opinions)
    if for_reviewer is not None:
        chosen &= ~_labelled_by(opinions, for_reviewer)
    return np.flatnonzero(chosen)


def _is_column(labels: Any) -> bool:
    shape = getattr(labels, "shape", None)
    if shape is not None:
        return len(shape) == 1
    return not isinstance(labels[0], list | tuple | np.ndarray)


def _labelled_by(opinions: Opinions, reviewer: Any) -> BoolArray:
    """Whether a reviewer labelled each row."""
    numbers = [
        number
        for number, name in enumerate(opinions.names)
        if reviewer_key(name) == reviewer_key(reviewer)
    ]
    found = np.zeros(opinions.n, dtype=np.bool_)
    found[opinions.rows[np.isin(opinions.reviewers, numbers)]] = True
    return found


def _check_number(n: int, eligible: int, most: int, reviewer: Any) -> None:
    kind = "one opinion" if most == 1 else f"at most {most:,} opinions"
    by = "" if reviewer is None else f", none of {reviewer!r}"
    if not eligible:
        raise InputError(message(f"rows with {kind}{by}", "none"))
    if n > eligible:
        expected = f"n of at most {eligible:,}, the number of rows with {kind}{by}"
        raise ParameterError(message(expected, f"{n:,}"))


def _commonest(rows: OpinionRows) -> IndexArray:
    """The label that most opinions of a row have; the first class of several."""
    votes = np.zeros((len(rows.weights), rows.n_classes), dtype=np.int64)
    np.add.at(votes, (rows.rows, rows.labels), 1)
    return np.asarray(votes.argmax(axis=1))


def _asked(opinions: Opinions, picked: IndexArray) -> tuple[tuple[Any, ...], ...]:
    """Reviewers who labelled each of some rows."""
    by_row: dict[int, list[Any]] = {int(row): [] for row in picked}
    for row, reviewer in zip(opinions.rows.tolist(), opinions.reviewers.tolist(), strict=True):
        if row in by_row:
            by_row[row].append(opinions.names[reviewer])
    return tuple(tuple(by_row[int(row)]) for row in picked)
