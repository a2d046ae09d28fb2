"""Compare the Spark engine with Spark's own GROUP BY, on a cluster on this machine.

``make bench`` runs ``python benchmarks/spark.py --out docs/benchmarks``. The program generates its
rows and starts a cluster on loopback: a master, and two workers with one core each.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter

if not __package__:  # run as a file: the folder above is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pyspark
from pyspark.sql import functions as F  # noqa: N812

import lwcal
from benchmarks.engine_report import fill_between, memory_gigabytes
from benchmarks.engines import make_rows
from benchmarks.machine import describe_load
from benchmarks.promises import Promise
from benchmarks.report import table
from benchmarks.results import Measurement, Results
from benchmarks.spark_cluster import cluster, session
from lwcal.engines.spark import apply, reduce
from lwcal.rows.counts import BINS, GRID
from lwcal_study.environment import machine
from lwcal_study.files import write_text

SIZES = (1_000_000, 20_000_000)
WARM_UP, TURNS = 1, 3
CORES = 2
TIME, BYTES = "time", "shuffle"
GROUP, COLLECT, REDUCE, APPLY, COPY = (
    "group by", "group by, collected", "reduce", "apply", "copy",
)  # fmt: skip
BEGIN, END = "<!-- spark -->", "<!-- end of spark -->"
TRILLION = 10**12
SPLIT = 128 << 20
"""Bytes of a file that Spark assigns to one task by default."""
PROMISES = (
    Promise(
        "reduce, against df.groupBy(bin, label).count() without output",
        1.3, False, "times its time",
        lambda results, rows: results.ratio(TIME, "", rows, REDUCE, GROUP), TIME, SIZES[-1],
    ),
)  # fmt: skip
NOTE = """\
The cluster ran on this machine: a master, and two workers with one executor of one core each. All
processes shared {cores} cores. The rows are Parquet with an id, a score that hardly ever repeats,
and a label. After one turn to warm up, the tasks ran in turns in one session. Each time is the
best of {turns}.
"""


def tasks(frame, calibrator):
    """The measured tasks by name. Each call is a new query: Spark would reuse a shuffle."""
    return {
        GROUP: lambda: _nowhere(_groups(frame)),
        COLLECT: lambda: _groups(frame).toArrow(),
        REDUCE: lambda: reduce(frame, "score", "label"),
        COPY: lambda: _nowhere(frame),
        APPLY: lambda: _nowhere(apply(frame, calibrator, "score")),
    }


def _groups(frame):
    return frame.groupBy(F.floor(frame.score / GRID).alias("bin"), "label").count()


def _nowhere(frame):
    frame.write.format("noop").mode("overwrite").save()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write ``spark.md`` and its part of the large-data page."""
    options = _parse(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    load = describe_load()
    sizes = [n for n in SIZES if n <= options.max_rows]
    with tempfile.TemporaryDirectory(prefix="lwcal-spark-rows-") as folder:
        results, sent = measure(sizes, Path(folder))
    command = "make bench"
    if options.max_rows < SIZES[-1]:
        command = f"python benchmarks/spark.py --max-rows {options.max_rows} --out docs/benchmarks"
    write_text(page(results, sent, command, load), options.out / "spark.md")
    fill_between(
        options.out.parent / "guide" / "large-data.md", BEGIN, END, estimate(results, sent)
    )
    for promise in PROMISES:
        print(f"{promise.what}: {promise.describe_measured(results)}")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the page")
    parser.add_argument(
        "--max-rows", type=lambda text: int(float(text)), default=SIZES[-1], help="default: 2e7"
    )
    return parser.parse_args(arguments)


def measure(sizes: Sequence[int], work: Path) -> tuple[Results, float]:
    """Run every task a few times, in turns, and measure the bytes per line of a shuffle."""
    results = Results()
    rng = np.random.default_rng(0)
    scores = rng.random(100_000)
    calibrator = lwcal.LWCal().fit(scores, rng.random(100_000) < scores)
    settings = {
        "spark.executor.memory": "2g",
        "spark.driver.extraJavaOptions": "",
        "spark.executor.extraJavaOptions": "",
        "spark.cores.max": str(CORES),
    }
    with cluster() as running, session(running, **settings) as spark:
        for rows in sizes:
            frame = spark.read.parquet(str(make_rows(rows, work)))
            chosen = tasks(frame, calibrator)
            seconds: dict[str, list[float]] = {task: [] for task in chosen}
            for turn in range(WARM_UP + TURNS):
                for task, function in chosen.items():
                    start = perf_counter()
                    function()
                    if turn >= WARM_UP:  # Spark compiles code in the first turn
                        seconds[task].append(perf_counter() - start)
            for task, found in seconds.items():
                results.add(
                    Measurement(TIME, "", rows, task, min(found), "s", median(found), TURNS)
                )
        sent = _bytes_per_line(running.folder / "scratch", frame)
    return results, sent


def _bytes_per_line(scratch: Path, frame) -> float:
    """Bytes per line of the shuffle files with the counts of one task."""
    before = set(scratch.rglob("shuffle_*.data"))
    found = reduce(frame, "score", "label")
    written = [path.stat().st_size for path in set(scratch.rglob("shuffle_*.data")) - before]
    large = [size for size in written if size > max(written) / 2]  # the files of the counts
    return sum(large) / len(large) / len(found)


def estimate(results: Results, sent: float) -> str:
    """Estimated cost of 1e12 rows, from the cost per row at the largest size."""
    many = results.sizes(TIME)[-1]
    lines = []
    for task in (REDUCE, APPLY):
        each = results.value(TIME, "", many, task) / many * CORES
        hours = each * TRILLION / 3600
        cells = [task, f"{each * 1e9:,.0f} ns", f"{hours:,.0f}", f"{hours / 1000:.1f} h"]
        lines.append(cells)
    header = ("", "per row, on one core", "core hours for 10^12 rows", "on 1,000 cores")
    rows_per_task = 10_000_000
    count = TRILLION // rows_per_task
    return table(header, lines) + (
        f"\nA task with {rows_per_task:,} rows reads about {SPLIT >> 20} MB of Parquet, so there "
        f"are {count:,} tasks. Each task\nsends at most {BINS:,} lines of {sent:.0f} bytes to the "
        f"others: {BINS * sent / 1e6:.0f} MB, and {count * BINS * sent / 1e12:.1f} TB in all.\n"
        "Larger tasks send less. The driver receives at most 2 x 2^20 lines of 48 bytes, "
        f"{2 * 2**20 * 48 / 1e6:.0f} MB,\nwhatever the number of rows.\n"
    )


def page(results: Results, sent: float, command: str, load: str) -> str:
    """The page, with targets, times and an estimate for 10^12 rows."""
    promised = [(p.what, p.describe_target(), p.describe_measured(results)) for p in PROMISES]
    names = (GROUP, COLLECT, REDUCE, COPY, APPLY)
    body = [
        [f"{rows:,}", task, f"{results.value(TIME, '', rows, task):.2f} s"]
        for rows in results.sizes(TIME)
        for task in names
    ]
    lines = [
        "# The Spark engine\n",
        f"`{command}` wrote this page on {datetime.now(UTC).date().isoformat()}.\n",
        f"- machine: {machine()}, {memory_gigabytes():.0f} GB",
        f"- Spark {pyspark.__version__}",
        f"- load average at the start: {load}\n",
        NOTE.format(cores=CORES, turns=TURNS),
        "## Targets\n",
        table((f"at {SIZES[-1]:,} rows", "target", "measured"), promised),
        "## Times\n",
        table(("rows", "task", "time"), body),
        f"- {GROUP}: `df.groupBy(bin, label).count()`, written to Spark's `noop`; {COLLECT}: with "
        "`toArrow`",
        f"- {REDUCE}: `lwcal.engines.spark.reduce`, with checks, counts and the table",
        f"- {COPY}: all columns to `noop`; {APPLY}: the same with `lwcal.engines.spark.apply`\n",
        "## Estimate for 10^12 rows\n",
        estimate(results, sent),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
