"""The engines' benchmark as a page: what is promised, and the numbers behind it."""

import os
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from benchmarks.engine_tasks import APPLY, COPY, REDUCE, SUM, SUM_SCORE, TASKS
from benchmarks.machine import describe_machine
from benchmarks.promises import Promise
from benchmarks.report import table
from benchmarks.results import Results
from lwcal import kernels
from lwcal.files import replacing

TURNS = 3
MANY = 100_000_000
TIME, MEMORY = "time", "peak"
BEGIN, END = "<!-- engines -->", "<!-- end of engines -->"
NOTE = """\
Parquet with an id, a score that hardly ever repeats and a label. Every run is a process of its own;
the tasks took turns, and a time is the best of {turns}. The peak is that of the whole process, with
Python and its libraries. Ratios carry over to other machines better than times do.
"""


def _ratio(upper: str, lower: str):
    return lambda results, rows: results.ratio(TIME, "", rows, upper, lower)


def _gigabytes(contender: str):
    def measure(results: Results, rows: int) -> float | None:
        value = results.value(MEMORY, "", rows, contender)
        return None if value is None else value / 1e9

    return measure


def _growth(contender: str):
    def measure(results: Results, rows: int) -> float | None:
        few, many = (results.value(TIME, "", n, contender) for n in (rows // 10, rows))
        return None if few is None or many is None else many / few

    return measure


def _beside(results: Results, rows: int) -> str:
    ratio = results.ratio(TIME, "", rows, REDUCE, SUM_SCORE)
    return "" if ratio is None else f" ({ratio:.1f} when the sum reads the scores only)"


TIMES = "times its time"
PROMISES = (
    Promise(
        "reduce and fit, against SELECT count(*), sum(score), sum(label) of the same rows",
        8, False, TIMES, _ratio(REDUCE, SUM), TIME, MANY, _beside,
    ),
    Promise(
        "apply and write, against copying the same Parquet",
        1.6, False, TIMES, _ratio(APPLY, COPY), TIME, MANY,
    ),
    Promise("peak of memory, reduce and fit", 1, False, "GB", _gigabytes(REDUCE), MEMORY, MANY),
    Promise("peak of memory, apply and write", 1, False, "GB", _gigabytes(APPLY), MEMORY, MANY),
    Promise(
        "reduce and fit, ten times the rows", 11, False, "times the time", _growth(REDUCE), TIME,
        MANY,
    ),
    Promise(
        "apply and write, ten times the rows", 11, False, "times the time", _growth(APPLY), TIME,
        MANY,
    ),
)  # fmt: skip


def page(results: Results, command: str, load: str) -> str:
    """What is promised, and the times and peaks behind it."""
    body = [
        [f"{rows:,}", task, *_measured(results, rows, task)]
        for rows in results.sizes(TIME)
        for task in TASKS
    ]
    promised = [(p.what, p.describe_target(), p.describe_measured(results)) for p in PROMISES]
    lines = [
        "# The DuckDB engine\n",
        f"Made by `{command}` on {datetime.now(UTC).date().isoformat()}.\n",
        f"- machine: {describe_machine()}, {memory_gigabytes():.0f} GB",
        f"- DuckDB {duckdb.__version__}, {kernels.backend_name} kernels",
        f"- load average when it began: {load}\n",
        NOTE.format(turns=TURNS),
        "## What is promised\n",
        table(("at 100,000,000 rows", "target", "measured"), promised),
        "## Times and peaks\n",
        table(("rows", "task", "time", "peak of memory"), body),
        f"- {SUM}: `SELECT count(*), sum(score), sum(label)`; {SUM_SCORE}: the same without labels",
        f"- {REDUCE}: `lwcal.engines.duckdb.reduce`, then `LWCal().fit_table`",
        f"- {COPY}: `COPY (SELECT * FROM rows) TO ... (FORMAT parquet)`",
        f"- {APPLY}: `lwcal.engines.duckdb.apply` to Parquet, with all columns and one more",
        "",
    ]
    return "\n".join(lines)


def fill(document: Path, results: Results) -> None:
    """Put the times and peaks at the most rows between the marks of a page, if there is one."""
    rows = results.sizes(TIME)[-1]
    body = [[task, *_measured(results, rows, task)] for task in (SUM, REDUCE, COPY, APPLY)]
    shown = table((f"{rows:,} rows of Parquet", "time", "peak of memory"), body)
    fill_between(document, BEGIN, END, shown)


def fill_between(document: Path, begin: str, end: str, shown: str) -> None:
    """Replace what stands between two marks of a page, if there is one."""
    if not document.exists():
        return
    text = document.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    with replacing(document, overwrite=True) as temporary:
        temporary.write_text(f"{before}{begin}\n{shown}{end}{after}", encoding="utf-8")


def _measured(results: Results, rows: int, task: str) -> list[str]:
    seconds, peak = (results.value(kind, "", rows, task) for kind in (TIME, MEMORY))
    return [f"{seconds:.2f} s", f"{peak / 1e6:.0f} MB"]


def memory_gigabytes() -> float:
    """Memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
