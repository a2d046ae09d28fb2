"""Compare speed and memory with other packages, and write the tables.

``make bench`` runs ``python benchmarks/speed.py --out docs/benchmarks``.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

if not __package__:  # run as a file: the folder above is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.data import KINDS, make_rows
from benchmarks.importing import time_import
from benchmarks.machine import describe_load, describe_versions
from benchmarks.memory import bytes_per_row_in_new_process
from benchmarks.methods import (
    FITTERS,
    LWCAL,
    NOISE_AWARE,
    SKLEARN,
    VENN_ABERS,
    Fitter,
    apply_runs,
)
from benchmarks.promises import FEW
from benchmarks.report import write_csv, write_markdown
from benchmarks.results import APPLY, FIT, IMPORT, KNOTS, MEMORY, Measurement, Results
from benchmarks.timing import time_in_turns, undisturbed
from lwcal_study.environment import machine

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
QUICK_ROWS = 100_000
BUDGET, QUICK_BUDGET = 0.5, 0.1
"""Seconds per function, in addition to the minimum number of runs."""
IMPORTS, QUICK_IMPORTS = 7, 3
"""Number of imports."""
RUN_LIMIT = 20.0
"""A run that is expected to take more seconds is skipped."""
REFIT_LIMIT = 5.0
"""A method that takes more seconds is not fitted again to time its map."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run everything and write ``speed.md`` and ``speed.csv``."""
    options = _parse(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    load = describe_load()
    results = measure(options.max_rows, quick=options.quick)
    write_csv(results, options.out / "speed.csv")
    write_markdown(
        results,
        options.out / "speed.md",
        command=describe_command(options),
        date=datetime.now(UTC).date().isoformat(),
        machine=machine(),
        versions=describe_versions(),
        load=load,
        limit=RUN_LIMIT,
    )
    print("wrote speed.md and speed.csv")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the output")
    parser.add_argument("--quick", action="store_true", help="at most 100,000 rows, few repeats")
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
    budget, runs = (QUICK_BUDGET, QUICK_IMPORTS) if quick else (BUDGET, IMPORTS)
    sizes = [n for n in SIZES if n <= (min(max_rows, QUICK_ROWS) if quick else max_rows)]
    measure_few_rows(results, budget=2 * budget)
    for rows in sizes:
        for kind in KINDS:
            measure_rows(results, rows, kind, budget=budget)
    measure_memory(results, sizes[-1])
    results.add_timing(IMPORT, "", 0, "lwcal", time_import(runs))
    return results


FEW_FITTED = (LWCAL, SKLEARN, NOISE_AWARE)


def measure_few_rows(results: Results, *, budget: float) -> None:
    """Time the fits where the overhead of a call dominates."""
    scores, labels = make_rows(FEW, "continuous")
    runs = {f.name: f.prepare(scores, labels) for f in FITTERS if f.name in FEW_FITTED}
    for name, timing in time_in_turns(runs, budget=budget).items():
        results.add_timing(FIT, "continuous", FEW, name, timing)


def measure_rows(results: Results, rows: int, kind: str, *, budget: float) -> None:
    """Time all fits to the same rows, then the application of the maps to as many new scores."""
    print(f"{kind}, {rows:,} rows ...", flush=True)
    scores, labels = make_rows(rows, kind)
    fits = {
        f.name: f.prepare(scores, labels) for f in FITTERS if is_feasible(f, results, rows, kind)
    }
    for name, timing in time_in_turns(fits, budget=budget).items():
        results.add_timing(FIT, kind, rows, name, timing)

    points, _ = make_rows(rows, kind, seed=1)
    seconds = results.value(FIT, kind, rows, VENN_ABERS)
    with undisturbed():
        runs, knots = apply_runs(
            scores, labels, points, with_venn_abers=seconds is not None and seconds < REFIT_LIMIT
        )
    results.add(Measurement(KNOTS, kind, rows, LWCAL, knots, "knots", knots, 1))
    for name, timing in time_in_turns(runs, budget=budget).items():
        results.add_timing(APPLY, kind, rows, name, timing)


def is_feasible(fitter: Fitter, results: Results, rows: int, kind: str) -> bool:
    """Whether a fit is made for so many rows and, judging by fewer rows, is fast enough."""
    if rows > fitter.most_rows:
        return False
    if not fitter.may_be_slow or rows == SIZES[0]:
        return True
    fewer = SIZES[SIZES.index(rows) - 1]
    seconds = results.value(FIT, kind, fewer, fitter.name)
    return seconds is not None and seconds * rows / fewer <= RUN_LIMIT


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
