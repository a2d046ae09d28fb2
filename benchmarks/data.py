"""Rows for the benchmarks: scores, and labels of which 20% are wrong."""

from collections.abc import Iterator

import numpy as np

KINDS: dict[str, int | None] = {"continuous": None, "161 values": 161, "1,000 values": 1000}
"""Kinds of scores, with their number of distinct values."""
FLIP_PROBABILITY = 0.2
CHUNK = 1 << 16


def make_rows(n: int, kind: str, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores in [0, 1] and int64 labels, the same for the same arguments.

    The rows are drawn in small chunks, so that this function does not set the peak memory.
    """
    scores, labels = np.empty(n), np.empty(n, dtype=np.int64)
    for rows, chunk, positive, flipped in _chunks(n, kind, seed):
        scores[rows] = chunk
        labels[rows] = positive ^ flipped
    return scores, labels


def make_checked_rows(n: int, checked: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Continuous scores and labels, and the true labels of the first rows; NaN in the others."""
    scores, labels = make_rows(n, "continuous")
    truths = np.full(n, np.nan)
    for rows, _, positive, _ in _chunks(n, "continuous", 0):
        truths[rows] = positive
    truths[checked:] = np.nan
    return scores, labels, truths


Chunk = tuple[slice, np.ndarray, np.ndarray, np.ndarray]
"""Which rows, their scores, whether each is positive, and whether its label is wrong."""


def _chunks(n: int, kind: str, seed: int) -> Iterator[Chunk]:
    distinct = KINDS[kind]
    rng = np.random.default_rng([seed, n, distinct or 0])
    for begin in range(0, n, CHUNK):
        size = min(CHUNK, n - begin)
        chunk = rng.random(size)
        if distinct:
            chunk = np.floor(chunk * distinct) / (distinct - 1)
        positive = rng.random(size) < chunk
        flipped = rng.random(size) < FLIP_PROBABILITY
        yield slice(begin, begin + size), chunk, positive, flipped


def make_class_rows(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of all classes, and labels of which a fifth is drawn at random."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.full(classes, 0.3), rows)
    truth = (rng.random((rows, 1)) > scores.cumsum(axis=1)).sum(axis=1).clip(0, classes - 1)
    is_wrong = rng.random(rows) < 0.2
    return scores, np.where(is_wrong, rng.integers(0, classes, rows), truth)


def make_opinions(rows: int, reviewers: int, per_row: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and the labels of some reviewers on each row; NaN where nobody was asked."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, rows)
    truth = rng.random((rows, 1)) < scores[:, None]
    said = truth ^ (rng.random((rows, reviewers)) < rng.uniform(0.1, 0.3, reviewers))
    asked = rng.random((rows, reviewers)).argsort(axis=1) < per_row
    return scores, np.where(asked, said.astype(float), np.nan)
