"""Rows for the benchmarks: scores, and labels of which 20% are wrong."""

import numpy as np

KINDS: dict[str, int | None] = {"continuous": None, "161 values": 161, "1,000 values": 1000}
"""Kinds of scores, with their number of distinct values."""
FLIP_PROBABILITY = 0.2
CHUNK = 1 << 16


def make_rows(n: int, kind: str, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores in [0, 1] and int64 labels, the same for the same arguments.

    The rows are drawn in small chunks, so that this function does not set the peak memory.
    """
    distinct = KINDS[kind]
    rng = np.random.default_rng([seed, n, distinct or 0])
    scores, labels = np.empty(n), np.empty(n, dtype=np.int64)
    for begin in range(0, n, CHUNK):
        size = min(CHUNK, n - begin)
        chunk = rng.random(size)
        if distinct:
            chunk = np.floor(chunk * distinct) / (distinct - 1)
        positive = rng.random(size) < chunk
        flipped = rng.random(size) < FLIP_PROBABILITY
        scores[begin : begin + size] = chunk
        labels[begin : begin + size] = positive ^ flipped
    return scores, labels
