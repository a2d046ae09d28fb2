"""Run one task of the DuckDB benchmark in its own process.

``python -m benchmarks.engine_tasks sum rows.parquet`` prints its time and peak memory.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.memory import ROOT, peak, start_of_peak

SUM, SUM_SCORE, REDUCE, COPY, APPLY = "sum", "sum of scores", "reduce and fit", "copy", "apply"
WRITING = (COPY, APPLY)


def _sql(sql: str) -> Callable[[], object]:
    import duckdb

    return lambda: duckdb.connect().execute(sql).fetchall()


def _sum(rows: Path) -> Callable[[], object]:
    return _sql(f"SELECT count(*), sum(score), sum(label) FROM '{rows}'")


def _sum_score(rows: Path) -> Callable[[], object]:
    return _sql(f"SELECT count(*), sum(score) FROM '{rows}'")


def _reduce(rows: Path) -> Callable[[], object]:
    import lwcal
    from lwcal.engines import duckdb

    return lambda: lwcal.LWCal().fit_table(duckdb.reduce(rows, score="score", label="label"))


def _copy(rows: Path) -> Callable[[], object]:
    return _sql(f"COPY (SELECT * FROM '{rows}') TO '{target_of(rows)}' (FORMAT parquet)")


def _apply(rows: Path) -> Callable[[], object]:
    import numpy as np

    import lwcal
    from lwcal.engines import duckdb

    rng = np.random.default_rng(0)
    scores = rng.random(1_000_000)
    calibrator = lwcal.LWCal().fit(scores, rng.random(1_000_000) < scores)
    out = target_of(rows)
    return lambda: duckdb.apply(rows, calibrator, score="score", out=out, overwrite=True)


TASKS = {SUM: _sum, SUM_SCORE: _sum_score, REDUCE: _reduce, COPY: _copy, APPLY: _apply}


def target_of(rows: Path) -> Path:
    """Output file of the tasks that write."""
    return rows.with_name(f"written-{rows.name}")


def run(task: str, rows: Path) -> dict[str, float]:
    """Run a task once, after its imports."""
    function = TASKS[task](rows)
    start_of_peak()
    start = perf_counter()
    function()
    seconds = perf_counter() - start
    return {"seconds": seconds, "bytes": peak()}


def run_in_new_process(task: str, rows: Path) -> dict[str, float]:
    """Run a task in a new process, without memory of earlier tasks."""
    command = [sys.executable, "-m", "benchmarks.engine_tasks", task, str(rows)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    target_of(rows).unlink(missing_ok=True)
    if done.returncode:
        raise RuntimeError(f"{task} of {rows.name} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
