"""Compare the DuckDB engine with DuckDB itself, and write the page.

``make bench`` runs ``python benchmarks/engines.py --out docs/benchmarks``. The program generates
its rows. A stopped run is resumed.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

if not __package__:  # run as a file: the folder above is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import duckdb

from benchmarks.engine_report import MANY, MEMORY, PROMISES, TIME, TURNS, fill, page
from benchmarks.engine_tasks import TASKS, run_in_new_process
from benchmarks.machine import describe_load
from benchmarks.results import Measurement, Results
from lwcal_study.files import replacing, write_json, write_text

SIZES = (1_000_000, 10_000_000, MANY)
ROWS_SQL = """
SELECT i AS id, s AS score,
  CAST((hash(i, 1) % 1000003 < s * 1000003) != (hash(i, 2) % 1000003 < 200001) AS TINYINT) AS label
FROM (SELECT i, (hash(i, 0) % 9007199254740881) / 9007199254740881 AS s FROM range({rows}) t(i))
"""
"""Scores that hardly ever repeat, and labels of which 20% are wrong; the same in every run."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what has not run yet, and write ``engines.md`` and its part of the large-data page."""
    options = _parse(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    options.work.mkdir(parents=True, exist_ok=True)
    load = describe_load()
    sizes = [n for n in SIZES if n <= (SIZES[0] if options.quick else options.max_rows)]
    results = measure(sizes, options.work)
    write_text(page(results, describe_command(options), load), options.out / "engines.md")
    fill(options.out.parent / "guide" / "large-data.md", results)
    shutil.rmtree(options.work)  # the next run must measure again
    for promise in PROMISES:
        print(f"{promise.what}: {promise.describe_measured(results)}")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the page")
    parser.add_argument(
        "--quick", action="store_true", help="a million rows; takes less than a minute"
    )
    parser.add_argument(
        "--max-rows", type=lambda text: int(float(text)), default=MANY, help="default: 1e8"
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=Path(tempfile.gettempdir()) / "lwcal-engines",
        help="folder for rows (4 GB at 1e8) and measurements; removed at the end",
    )
    return parser.parse_args(arguments)


def describe_command(options: argparse.Namespace) -> str:
    """The command that repeats this run."""
    if options.quick:
        return "python benchmarks/engines.py --quick --out docs/benchmarks"
    if options.max_rows == MANY:
        return "make bench"
    return f"python benchmarks/engines.py --max-rows {options.max_rows} --out docs/benchmarks"


def measure(sizes: Sequence[int], work: Path) -> Results:
    """Run every task a few times, in turns, so that other load affects all tasks alike."""
    results = Results()
    for rows in sizes:
        source = make_rows(rows, work)
        runs: dict[str, list[dict[str, float]]] = {task: [] for task in TASKS}
        for turn in range(TURNS):
            for task in TASKS:
                runs[task].append(_checkpointed(work, source, task, turn))
        for task, found in runs.items():
            seconds = [one["seconds"] for one in found]
            results.add(
                Measurement(TIME, "", rows, task, min(seconds), "s", median(seconds), TURNS)
            )
            peak = max(one["bytes"] for one in found)
            results.add(Measurement(MEMORY, "", rows, task, peak, "bytes", peak, TURNS))
    return results


def _checkpointed(work: Path, source: Path, task: str, turn: int) -> dict[str, float]:
    kept = work / f"{source.stem}-{task.replace(' ', '-')}-{turn}.json"
    if not kept.exists():
        write_json(run_in_new_process(task, source), kept)
    return json.loads(kept.read_text(encoding="utf-8"))


def make_rows(rows: int, work: Path) -> Path:
    """Write the rows, unless the file exists."""
    path = work / f"rows-{rows}.parquet"
    if not path.exists():
        print(f"generating {rows:,} rows ...", flush=True)
        with replacing(path) as temporary:
            duckdb.connect().execute(
                f"COPY ({ROWS_SQL.format(rows=rows)}) TO '{temporary}' (USE_TMP_FILE false)"
            )
    return path


if __name__ == "__main__":
    main()
