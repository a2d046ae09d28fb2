"""Words that ten people rated from -4 to 4 (package vaderSentiment, MIT).

Three of the ten give the opinions, the mean of the other seven gives the trusted label.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

import numpy as np

from lwcal_study.classes.word_ratings import FIVE, THREE, valence_class
from lwcal_study.opinions.rated import RatedRows, RatedTask
from lwcal_study.real.word_ratings import is_positive, is_strong, words_and_marks


def _read() -> RatedRows:
    words, marks = words_and_marks()
    return RatedRows(words, np.array([ast.literal_eval(text) for text in marks], dtype=float))


def _task(name: str, label: Callable[[float], float], note: str) -> RatedTask:
    about = f"{note}; trusted: mean of seven others"
    return RatedTask(f"raters_word_{name}", "vaderSentiment", about, _read, label)


TASKS = (
    _task("positive", is_positive, "positive or not"),
    _task("strong", is_strong, "far from neutral or not"),
    _task("three", partial(valence_class, limits=THREE), "negative, weak or positive"),
    _task("five", partial(valence_class, limits=FIVE), "from very negative to very positive"),
)
