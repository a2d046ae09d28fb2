"""Wall times of whole processes: ``lwcal`` commands, and Python doing the least they need."""

import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import lwcal
from benchmarks.data import make_rows
from benchmarks.methods import Run
from benchmarks.results import APPLY_FILE, HELP, Results
from benchmarks.timing import time_in_turns

ROWS = 1_000
LWCAL_HELP, IMPORTS = "lwcal --help", "import typer, rich"
LWCAL_APPLY, DUCKDB = "lwcal apply", "DuckDB reads and writes it"
COMMAND = "import sys; from lwcal.cli import main; sys.argv[0] = 'lwcal'; main()"
"""What the installed script does."""
COPY = (
    "import duckdb; "
    "duckdb.sql(\"COPY (FROM read_csv('rows.csv', all_varchar=true)) TO 'copy.csv'\")"
)


def measure_commands(results: Results, *, budget: float) -> None:
    """Start each command and its counterpart in turns, in an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_inputs(folder)
        helps = {
            LWCAL_HELP: _process(folder, COMMAND, "--help"),
            IMPORTS: _process(folder, "import typer, rich"),
        }
        applied = ("apply", "calibrator.json", "rows.csv", "--out", "new.csv", "--force")
        applies = {
            LWCAL_APPLY: _process(folder, COMMAND, *applied),
            DUCKDB: _process(folder, COPY),
        }
        for task, rows, runs in ((HELP, 0, helps), (APPLY_FILE, ROWS, applies)):
            for contender, timing in time_in_turns(runs, budget=budget).items():
                results.add_timing(task, "", rows, contender, timing)


def _write_inputs(folder: Path) -> None:
    scores, labels = make_rows(ROWS, "continuous")
    lwcal.save(lwcal.LWCal().fit(scores, labels), folder / "calibrator.json")
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(("id", "score", "label"))
        writer.writerows(zip(range(ROWS), scores.tolist(), labels.tolist(), strict=True))


def _process(folder: Path, program: str, *arguments: str) -> Run:
    command: Sequence[str] = [sys.executable, "-c", program, *arguments]
    return lambda: subprocess.run(command, cwd=folder, capture_output=True, check=True)
