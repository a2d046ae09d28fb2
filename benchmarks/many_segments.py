"""Time the calibrators of very many segments: ``python -m benchmarks.many_segments``.

Compares :func:`lwcal.engines.duckdb.fit_segments` with one GROUP BY of the same rows in DuckDB.
Rewrites a table of docs/guide/segments.md. Use ``--quick`` and ``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import duckdb

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from benchmarks.timing import time_in_turns
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "segments.md"
MARKS = "<!-- time of many segments -->", "<!-- end of the time -->"
SIZES = (
    (1_000_000, 100),
    (1_000_000, 10_000),
    (10_000_000, 1_000),
    (10_000_000, 100_000),
)
"""Rows and segments."""
GROUP_BY = "one GROUP BY"
METHODS = {"Platt": lwcal.Platt, "Auto": lwcal.Auto}


def write_rows(path: Path, rows: int, segments: int) -> None:
    """Write rows of segments of unequal sizes, of which the names are text, with good scores."""
    duckdb.sql(
        f"""
        COPY (
            SELECT *, (random() < score)::INT AS label FROM (
                SELECT 'shop-' || floor(pow(random(), 2) * {segments})::INT AS segment,
                       random() AS score
                FROM range({rows})
            )
        ) TO '{path}' (FORMAT parquet)
        """
    )


def measure(rows: int, segments: int, budget: float) -> list[str]:
    """The line of one size: the time of a GROUP BY, and ratios to it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, rows, segments)
        query = f"SELECT segment, count(*), sum(label), avg(score) FROM '{path}' GROUP BY segment"
        runs = {GROUP_BY: lambda: duckdb.sql(query).to_arrow_table()}
        for name, made in METHODS.items():
            runs[name] = lambda made=made: lwcal.engines.duckdb.fit_segments(
                path, "segment", "score", "label", calibrator=made()
            )
        timings = time_in_turns(runs, budget=budget)
    base = timings[GROUP_BY].best
    ratios = (f"{timings[name].best / base:.1f}" for name in METHODS)
    return [f"{rows:,}", f"{segments:,}", f"{base:.2f} s", *ratios]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    sizes = [(20_000, 100)] if options.quick else SIZES
    body = [measure(*size, budget=0.1 if options.quick else 5.0) for size in sizes]
    header = ["rows", "segments", GROUP_BY, *(f"`fit_segments`, {name}" for name in METHODS)]
    text = pipe_table(header, body)
    today = datetime.now(UTC).date().isoformat()
    note = f"On {today}, {machine()}; by `python -m benchmarks.many_segments`."
    fill_between(options.page, *MARKS, f"{text}\n{note}\n")
    print(text)


if __name__ == "__main__":
    main()
