"""Measure how often copies among reviewers are noticed: ``python -m benchmarks.near_copies``.

Scores and reviewers are simulated. Rewrites a table of docs/benchmarks/several-opinions.md. Use
``--quick`` and ``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal.arrays import FloatArray
from lwcal.reviews.near_copies import near_copies
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import read_reviews
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "several-opinions.md"
MARKS = "<!-- copies -->", "<!-- end of copies -->"
DATA_SETS = 100
CURVES = {
    "straight": lambda z: expit(1.3 * z - 0.4),
    "weak": lambda z: expit(0.4 * z),
    "rare": lambda z: expit(1.2 * z - 3.0),
    "with a floor": lambda z: 0.12 + 0.7 * expit(2.0 * z),
    "with a step": lambda z: np.where(np.abs(z) > 1.0, 0.5 + 0.47 * np.sign(z), expit(0.6 * z)),
}
"""Probability of the positive class, given the log-odds of the score."""


class Kind(NamedTuple):
    """How rows and reviewers are drawn.

    Attributes
    ----------
    n : int
    reviewers : int
    copied : float
        Probability that the second reviewer repeats the first.
    errors : pair of float
        Range of the error rates; each reviewer has one for each true class.
    curve : str
    hard : float
        Share of rows on which everybody is wrong half of the time.
    spread : float
        Standard deviation of the difficulty of rows, in log-odds of an error.
    unsure : float
        How much larger the log-odds of an error are where the score is near 0.5.
    asked : int
        Labels of each row; 0: all.
    labels : int
        Labels of each reviewer; 0: all.
    """

    n: int = 2000
    reviewers: int = 3
    copied: float = 0.0
    errors: tuple[float, float] = (0.1, 0.3)
    curve: str = "straight"
    hard: float = 0.0
    spread: float = 0.0
    unsure: float = 0.0
    asked: int = 0
    labels: int = 0

    def draw(self, seed: int) -> OpinionRows:
        """Rows of one data set."""
        return self.draw_with_errors(seed)[0]

    def draw_with_errors(self, seed: int) -> tuple[OpinionRows, FloatArray]:
        """Rows of one data set, and how often each reviewer is wrong on them, if nobody copies."""
        rng = np.random.default_rng(seed)
        z = 1.5 * rng.normal(size=self.n) + rng.choice([-1.0, 1.0], self.n)
        truth = (rng.random(self.n) < CURVES[self.curve](z)).astype(int)
        rates = rng.uniform(*self.errors, (self.reviewers, 2))[:, truth].T
        difficulty = self.spread * rng.normal(size=self.n) + self.unsure * (np.abs(z) < 0.7)
        chance = expit(logit(rates) + difficulty[:, None])
        chance[rng.random(self.n) < self.hard] = 0.5
        said = (truth[:, None] ^ (rng.random(chance.shape) < chance)).astype(object)
        repeats = rng.random(self.n) < self.copied
        said[repeats, 1] = said[repeats, 0]
        if self.asked:
            order = rng.permuted(np.tile(np.arange(self.reviewers), (self.n, 1)), axis=1)
            said[np.argsort(order, axis=1) >= self.asked] = None
        for reviewer in range(self.reviewers if self.labels else 0):
            said[rng.permutation(self.n)[self.labels :], reviewer] = None
        return read_reviews(expit(z), as_opinions(said)).rows, chance.mean(axis=0)


APART = {
    "2,000 rows": Kind(),
    "3% errors": Kind(errors=(0.03, 0.03)),
    "a fifth of the rows is hard": Kind(hard=0.2),
    "rows differ in difficulty": Kind(errors=(0.05, 0.15), spread=1.2),
    "and are harder where the score is unsure": Kind(errors=(0.05, 0.15), spread=1.0, unsure=1.5),
    "scores say little": Kind(curve="weak"),
    "few positives": Kind(curve="rare"),
    "a curve with a floor": Kind(curve="with a floor"),
    "a curve with a step": Kind(curve="with a step"),
    "two labels a row": Kind(asked=2),
    "two labels a row, a fifth is hard": Kind(asked=2, hard=0.2),
    "5 reviewers, a fifth is hard": Kind(reviewers=5, hard=0.2),
    "200 rows": Kind(n=200),
    "200 rows, a fifth is hard": Kind(n=200, hard=0.2),
    "200 rows, 3% errors": Kind(n=200, errors=(0.03, 0.03)),
    "50 rows": Kind(n=50),
    "50 reviewers with 20 labels each": Kind(reviewers=50, labels=20),
    "50 reviewers of the same 20 rows": Kind(n=20, reviewers=50),
}
COPIED = {
    "80% copied": Kind(copied=0.8),
    "90% copied": Kind(copied=0.9),
    "50% copied": Kind(copied=0.5),
    "80% copied, errors of 10%": Kind(copied=0.8, errors=(0.1, 0.1)),
    "80% copied, errors of 3%": Kind(copied=0.8, errors=(0.03, 0.03)),
    "80% copied, a fifth is hard": Kind(copied=0.8, hard=0.2),
    "80% copied, scores say little": Kind(copied=0.8, curve="weak"),
    "80% copied, few positives": Kind(copied=0.8, curve="rare"),
    "80% copied, two labels a row": Kind(copied=0.8, asked=2),
    "80% copied, 8 reviewers": Kind(copied=0.8, reviewers=8),
    "80% copied, 500 rows": Kind(n=500, copied=0.8),
    "80% copied, 200 rows": Kind(n=200, copied=0.8),
    "80% copied, 100 rows": Kind(n=100, copied=0.8),
    "80% copied, 50 rows": Kind(n=50, copied=0.8),
    "80% copied, two reviewers": Kind(copied=0.8, reviewers=2),
}


def named(kind: Kind, seed: int) -> tuple[bool, bool]:
    """Whether the right pair is named, and whether another one is."""
    pairs = {(pair.one, pair.other) for pair in near_copies(kind.draw(seed))}
    right = {(0, 1)} if kind.copied else set()
    return bool(pairs & right), bool(pairs - right)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="five data sets of each kind")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    seeds = range(5 if options.quick else DATA_SETS)
    body = []
    for title, kind in (APART | COPIED).items():
        found = np.array([named(kind, seed) for seed in seeds])
        right, others = (f"{share:.0%}" for share in found.mean(axis=0))
        body.append([title, right if kind.copied else "", others])
        print(*body[-1], sep=" | ", flush=True)
    header = ["data sets", "the copy is named", "somebody else is named"]
    today = datetime.now(UTC).date().isoformat()
    note = (
        f"{len(seeds)} data sets of each kind, on {today}, {machine()}; by "
        "`python -m benchmarks.near_copies`.\n"
    )
    fill_between(options.page, *MARKS, f"{pipe_table(header, body)}\n{note}")


if __name__ == "__main__":
    main()
