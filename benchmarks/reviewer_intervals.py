"""Measure how often intervals of reviewers hold: ``python -m benchmarks.reviewer_intervals``.

Scores and reviewers are simulated. Rewrites a table of docs/benchmarks/several-opinions.md. Use
``--quick`` and ``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.engine_report import fill_between
from benchmarks.near_copies import PAGE, Kind
from benchmarks.report import table as pipe_table
from lwcal.arrays import FloatArray
from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.summarising import summarise_reviews
from lwcal.reviews.uncertainty import Uncertainty
from lwcal_study.environment import machine

MARKS = "<!-- intervals -->", "<!-- end of intervals -->"
DATA_SETS = 60
KINDS = {
    "two labels a row": Kind(n=1000, asked=2),
    "three labels a row": Kind(n=1000),
    "two labels a row, 200 rows": Kind(n=200, asked=2),
    "three labels a row, 200 rows": Kind(n=200),
    "three labels a row, 5,000 rows": Kind(n=5000),
    "5 labels a row, 5 reviewers": Kind(n=1000, reviewers=5),
    "three labels a row, 20 reviewers": Kind(n=1000, reviewers=20, asked=3),
    "two labels a row, a fifth is hard": Kind(n=1000, asked=2, hard=0.2),
    "three labels a row, a fifth is hard": Kind(n=1000, hard=0.2),
    "three labels a row, 200 rows, a fifth is hard": Kind(n=200, hard=0.2),
    "5 labels a row, 5 reviewers, a fifth is hard": Kind(n=1000, reviewers=5, hard=0.2),
    "two labels a row, rows differ in difficulty": Kind(n=1000, asked=2, spread=1.2),
    "three labels a row, rows differ in difficulty": Kind(n=1000, spread=1.2),
    "5 labels a row, 5 reviewers, rows differ in difficulty": Kind(n=1000, reviewers=5, spread=1.2),
}


def held(kind: Kind, seed: int) -> FloatArray:
    """Share of the reviewers whose interval holds, as reported and without shared errors."""
    rows, wrong = kind.draw_with_errors(seed)
    posterior = infer_reviews(rows.distinct())
    alone = replace(posterior, judged=posterior.judged[:1])
    found = []
    for judged in (posterior, alone):
        reviewers = summarise_reviews(Uncertainty(judged), rows).reviewers
        pairs = zip(reviewers, wrong.tolist(), strict=True)
        found.append(np.mean([one.wrong.low <= true <= one.wrong.high for one, true in pairs]))
    return np.array(found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="five data sets of each kind")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    seeds = range(5 if options.quick else DATA_SETS)
    body = []
    for title, kind in KINDS.items():
        shares = np.mean([held(kind, seed) for seed in seeds], axis=0)
        body.append([title, *(f"{share:.0%}" for share in shares)])
        print(*body[-1], sep=" | ", flush=True)
    header = ["data sets", "90% intervals that hold", "without shared errors"]
    today = datetime.now(UTC).date().isoformat()
    note = (
        f"{len(seeds)} data sets of each kind, on {today}, {machine()}; by "
        "`python -m benchmarks.reviewer_intervals`.\n"
    )
    fill_between(options.page, *MARKS, f"{pipe_table(header, body)}\n{note}")


if __name__ == "__main__":
    main()
