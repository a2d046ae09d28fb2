"""Compare speed and memory with other packages, and write tables and a picture.

``make bench`` runs ``python benchmarks/speed.py --out docs/benchmarks``. It fails if LWCal,
GatedLWCal or Isotonic takes longer than scikit-learn at any number of rows.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

if not __package__:  # run as a file: the folder above is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.commands import measure_commands
from benchmarks.data import KINDS
from benchmarks.fitting import RUN_LIMIT, SIZES, measure_one_score, measure_rows
from benchmarks.grid import measure_grid, slower_than_sklearn
from benchmarks.importing import time_import
from benchmarks.jobs import measure_jobs
from benchmarks.machine import describe_load, describe_versions
from benchmarks.memory import bytes_per_row_in_new_process
from benchmarks.methods import LWCAL, SKLEARN
from benchmarks.noise_models import measure_noise_models
from benchmarks.picture import write_picture
from benchmarks.report import write_csv, write_markdown
from benchmarks.results import IMPORT, MEMORY, Measurement, Results
from benchmarks.segments import measure_segments
from benchmarks.targets import TARGETS
from benchmarks.threads import measure_threads
from lwcal_study.environment import machine

QUICK_ROWS = 100_000
BUDGET, QUICK_BUDGET = 0.5, 0.02
"""Seconds per function, in addition to the minimum number of runs."""
GRID_BUDGET, QUICK_GRID_BUDGET = 0.5, 0.05
"""The same for the fits that decide whether the command fails."""
PROCESS_BUDGET, QUICK_PROCESS_BUDGET = 5.0, 0.0
"""The same per process."""
IMPORTS, QUICK_IMPORTS = 7, 3
"""Number of imports."""
QUICK_RUN_LIMIT = 0.3
"""Seconds that a method may be expected to take, in a quick run."""
PICTURE = "speed.svg"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run everything, write the page, its numbers and its picture, and fail if a fit is slow."""
    options = _parse(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    load = describe_load()
    results = measure(options.max_rows, quick=options.quick)
    write_csv(results, options.out / "speed.csv")
    write_picture(results, options.out / PICTURE)
    write_markdown(
        results,
        options.out / "speed.md",
        picture=PICTURE,
        command=describe_command(options),
        date=datetime.now(UTC).date().isoformat(),
        machine=machine(),
        versions=describe_versions(),
        load=load,
        limit=run_limit(options.quick),
    )
    print(f"wrote speed.md, speed.csv and {PICTURE}")
    for target in TARGETS:
        print(f"{target.what}: {target.describe_measured(results)}")
    fail_if_slow(results)


def fail_if_slow(results: Results) -> None:
    """Print the fits that took longer than scikit-learn's, and exit with 1 if there are any."""
    slow = slower_than_sklearn(results)
    if slow:
        print(*slow, sep="\n", file=sys.stderr)
        raise SystemExit(1)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the output")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="at most 100,000 rows, few repeats; takes less than a minute",
    )
    parser.add_argument(
        "--max-rows", type=lambda text: int(float(text)), default=SIZES[-1], help="default: 1e7"
    )
    options = parser.parse_args(arguments)
    if options.max_rows < SIZES[0]:
        parser.error(f"--max-rows must be at least {SIZES[0]:,}")
    return options


def describe_command(options: argparse.Namespace) -> str:
    """The command that repeats this run, without the output folder."""
    if not options.quick and options.max_rows == SIZES[-1]:
        return "make bench"
    quick = " --quick" if options.quick else ""
    return f"python benchmarks/speed.py{quick} --max-rows {options.max_rows}"


def measure(max_rows: int, *, quick: bool = False) -> Results:
    """Run all measurements."""
    results = Results()
    budget = QUICK_BUDGET if quick else BUDGET
    most_rows = min(max_rows, QUICK_ROWS) if quick else max_rows
    measure_grid(results, most_rows, budget=QUICK_GRID_BUDGET if quick else GRID_BUDGET)
    sizes = [n for n in SIZES if n <= most_rows]
    for rows in sizes:
        for kind in KINDS:
            measure_rows(results, rows, kind, budget=budget, limit=run_limit(quick))
    measure_one_score(results, budget=budget)
    measure_noise_models(results, most_rows, budget=budget)
    measure_segments(results, most_rows, budget=budget)
    measure_jobs(results, most_rows, budget=budget)
    measure_threads(results, most_rows, budget=budget)
    measure_memory(results, sizes[-1])
    results.add_timing(IMPORT, "", 0, "lwcal", time_import(QUICK_IMPORTS if quick else IMPORTS))
    measure_commands(results, budget=QUICK_PROCESS_BUDGET if quick else PROCESS_BUDGET)
    return results


def run_limit(quick: bool) -> float:
    """Seconds above which a run is skipped."""
    return QUICK_RUN_LIMIT if quick else RUN_LIMIT


def measure_memory(results: Results, rows: int) -> None:
    """Compare the peak memory of two fits, each in its own process."""
    for name, who in ((LWCAL, "lwcal"), (SKLEARN, "sklearn")):
        value = bytes_per_row_in_new_process(who, rows)
        if value is not None:
            results.add(
                Measurement(MEMORY, "continuous", rows, name, value, "bytes per row", value, 1)
            )


if __name__ == "__main__":
    main()
