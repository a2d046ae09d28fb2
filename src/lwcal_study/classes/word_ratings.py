"""Tasks from ratings of words by ten people (package vaderSentiment, MIT).

One rater gives the noisy label, the mean of the others gives the trusted label.
"""

from __future__ import annotations

from functools import partial

from lwcal_study.classes.task import ClassTask
from lwcal_study.real.task import Rows
from lwcal_study.real.word_ratings import split_raters, words_and_marks

THREE = (-1.5, 1.5)
FIVE = (-2.5, -1.5, 1.5, 2.5)
"""Ratings from -4 to 4 from which the next class begins. No single rating lies on them."""


def valence_class(valence: float, limits: tuple[float, ...]) -> int:
    """Number of limits that a rating reaches.

    >>> [valence_class(rating, FIVE) for rating in (-4, -2, 0, 2, 4)]
    [0, 1, 2, 3, 4]
    """
    return sum(valence >= limit for limit in limits)


def _build(limits: tuple[float, ...]) -> Rows:
    words, marks = words_and_marks()
    return Rows(words, *split_raters(marks, partial(valence_class, limits=limits)))


def _task(name: str, limits: tuple[float, ...], note: str) -> ClassTask:
    build = partial(_build, limits)
    return ClassTask(name, "vaderSentiment", "text", "natural", build, kind="crowd", note=note)


TASKS = (
    _task(
        "vader_word_three",
        THREE,
        "negative, weak or positive; noisy: for one rater; trusted: for nine others",
    ),
    _task(
        "vader_word_five",
        FIVE,
        "from very negative to very positive; noisy: for one rater; trusted: for nine others",
    ),
)
