"""Compare the effect of rounding with that of chance: ``python -m benchmarks.rounding``.

Rewrites the table of docs/guide/large-data.md. Use ``--rows 1e6`` and ``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table
from lwcal.rows.counts import LIMIT
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "large-data.md"
BEGIN, END = "<!-- rounding -->", "<!-- end of rounding -->"
ROWS = 10_000_000
LOOKED_AT = 1_000_000
CALIBRATORS = (lwcal.LWCal, lwcal.Isotonic, lwcal.Platt, lwcal.NoiseAware)


def draw(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores that do not repeat, and labels of which 20% are wrong."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.5, 1.0, rows)
    return scores, (rng.random(rows) < scores**2) ^ (rng.random(rows) < 0.2)


def pooled(rows: int, seed: int, limit: int | None) -> lwcal.ScoreTable:
    """Table of drawn rows. Beyond the limit of distinct scores, scores are rounded."""
    scores, labels = draw(rows, seed)
    frame = pa.table({"score": scores, "label": labels})
    return lwcal.ScoreTable.from_frame(frame, "score", "label", limit=limit)


def changes(rows: int) -> list[list[str]]:
    """Differences of each map: rounded and exact scores, and these rows and other rows."""
    # a limit below the number of rows
    rounded = pooled(rows, 0, min(LIMIT, rows // 2))
    exact, other = pooled(rows, 0, None), pooled(rows, 1, None)
    at = draw(min(LOOKED_AT, rows), 2)[0]
    lines = []
    for kind in CALIBRATORS:
        here, on_grid, elsewhere = (
            kind().fit_table(one).predict(at) for one in (exact, rounded, other)
        )
        by_grid, by_chance = np.abs(on_grid - here), np.abs(elsewhere - here)
        values = (by_grid.mean(), by_grid.max(), by_chance.mean(), by_chance.max())
        lines.append([f"`{kind.__name__}`", *(f"{value:.1e}" for value in values)])
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=ROWS)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    header = ("", "rounded, mean", "rounded, largest", "other rows, mean", "other rows, largest")
    shown = table(header, changes(options.rows))
    note = (
        f"\n{options.rows:,} rows, on {datetime.now(UTC).date().isoformat()}, "
        f"{machine()}; by `python -m benchmarks.rounding`.\n"
    )
    fill_between(options.page, BEGIN, END, shown + note)
    print(shown)


if __name__ == "__main__":
    main()
