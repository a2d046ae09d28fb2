"""Tasks from ratings of words by ten people (package vaderSentiment, MIT).

One rater gives the noisy label, the others give the trusted label.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from lwcal_study.real.packages import data_folder
from lwcal_study.real.task import RealTask, Rows

N_TOPICS = 40
STRONG = 2.0


def is_positive(valence: float) -> bool:
    """Whether a rating is positive."""
    return valence > 0


def is_strong(valence: float) -> bool:
    """Whether a rating is far from neutral."""
    return abs(valence) >= STRONG


def rated_words() -> pd.DataFrame:
    """Words of the lexicon, with the ratings of all raters."""
    text = (data_folder("vaderSentiment") / "vader_lexicon.txt").read_text(encoding="utf-8")
    rows = [line.split("\t")[:4] for line in text.splitlines() if line]
    table = pd.DataFrame(rows, columns=["word", "mean", "deviation", "marks"])
    return table[table["word"].str.fullmatch(r"[a-z'\-]{3,}")].reset_index(drop=True)


def spellings(words: pd.Series) -> pd.DataFrame:
    """Features of words: principal components of their letter groups, without any label."""
    counts = TfidfVectorizer(
        sublinear_tf=True, min_df=5, max_features=5000, analyzer="char_wb", ngram_range=(2, 4)
    ).fit_transform(words)
    topics = TruncatedSVD(N_TOPICS, random_state=0).fit_transform(counts)
    names = [f"topic{k}" for k in range(N_TOPICS)]
    return pd.DataFrame(topics, columns=names).assign(length=words.str.len())


def split_raters(marks: pd.Series, label: Callable[[float], float]) -> tuple[pd.Series, pd.Series]:
    """Trusted labels from the mean of all raters but one, noisy labels from that one.

    The one rater is drawn at random for each word.
    """
    generator = np.random.default_rng(0)
    trusted, noisy = [], []
    for text in marks:
        given = np.array(ast.literal_eval(text), dtype=float)
        chosen = generator.integers(len(given))
        noisy.append(label(given[chosen]))
        trusted.append(label(np.delete(given, chosen).mean()))
    return pd.Series(trusted, dtype=float), pd.Series(noisy, dtype=float)


@lru_cache(maxsize=1)  # all tasks share the features
def words_and_marks() -> tuple[pd.DataFrame, pd.Series]:
    """Features of all words, and the ratings of each as text."""
    table = rated_words()
    return spellings(table["word"]), table["marks"]


def _build(positive: Callable[[float], bool]) -> Rows:
    features, marks = words_and_marks()
    return Rows(features, *split_raters(marks, positive))


def _task(name: str, positive: Callable[[float], bool], note: str) -> RealTask:
    build = partial(_build, positive)
    return RealTask(name, "vaderSentiment", "text", "natural", build, kind="crowd", note=note)


TASKS = (
    _task(
        "vader_word_positive",
        is_positive,
        "noisy: positive for one rater; trusted: for nine others",
    ),
    _task(
        "vader_word_strong",
        is_strong,
        "noisy: strong for one rater; trusted: for nine others",
    ),
)
