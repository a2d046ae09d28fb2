"""Write the page of the DuckDB benchmark: targets, times and peak memory."""

import os
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from benchmarks.engine_tasks import APPLY, COPY, REDUCE, SUM, SUM_SCORE, TASKS
from benchmarks.promises import Promise
from benchmarks.report import table
from benchmarks.results import Results
from lwcal import kernels
from lwcal_study.environment import machine
from lwcal_study.files import write_text

TURNS = 3
MANY = 100_000_000
TIME, MEMORY = "time", "peak"
BEGIN, END = "<!-- engines -->", "<!-- end of engines -->"
NOTE = """\
The rows are Parquet with an id, a score that hardly ever repeats, and a label. Every run has its
own process. The tasks ran in turns, and each time is the best of {turns}. Peak memory is that of
the whole process, including Python and its libraries. Ratios carry over to other machines better
than times.
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
    return "" if ratio is None else f" ({ratio:.1f} if the sum reads only the scores)"


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
    Promise("peak memory, reduce and fit", 1, False, "GB", _gigabytes(REDUCE), MEMORY, MANY),
    Promise("peak memory, apply and write", 1, False, "GB", _gigabytes(APPLY), MEMORY, MANY),
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
    """The page, with targets, times and peak memory."""
    body = [
        [f"{rows:,}", task, *_measured(results, rows, task)]
        for rows in results.sizes(TIME)
        for task in TASKS
    ]
    promised = [(p.what, p.describe_target(), p.describe_measured(results)) for p in PROMISES]
    lines = [
        "# The DuckDB engine\n",
        f"`{command}` wrote this page on {datetime.now(UTC).date().isoformat()}.\n",
        f"- machine: {machine()}, {memory_gigabytes():.0f} GB",
        f"- DuckDB {duckdb.__version__}, {kernels.backend_name} kernels",
        f"- load average at the start: {load}\n",
        NOTE.format(turns=TURNS),
        "## Targets\n",
        table(("at 100,000,000 rows", "target", "measured"), promised),
        "## Times and peak memory\n",
        table(("rows", "task", "time", "peak memory"), body),
        f"- {SUM}: `SELECT count(*), sum(score), sum(label)`; {SUM_SCORE}: the same without labels",
        f"- {REDUCE}: `lwcal.engines.duckdb.reduce`, then `LWCal().fit_table`",
        f"- {COPY}: `COPY (SELECT * FROM rows) TO ... (FORMAT parquet)`",
        f"- {APPLY}: `lwcal.engines.duckdb.apply` to Parquet, with all columns and one more",
        "",
    ]
    return "\n".join(lines)


def fill(document: Path, results: Results) -> None:
    """Write times and peak memory at the most rows between the marks of a page."""
    rows = results.sizes(TIME)[-1]
    body = [[task, *_measured(results, rows, task)] for task in (SUM, REDUCE, COPY, APPLY)]
    shown = table((f"{rows:,} rows of Parquet", "time", "peak memory"), body)
    fill_between(document, BEGIN, END, shown)


def fill_between(document: Path, begin: str, end: str, shown: str) -> None:
    """Replace the text between two marks of a page, if the page exists."""
    if not document.exists():
        return
    text = document.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    write_text(f"{before}{begin}\n{shown}{end}{after}", document)


def _measured(results: Results, rows: int, task: str) -> list[str]:
    seconds, peak = (results.value(kind, "", rows, task) for kind in (TIME, MEMORY))
    return [f"{seconds:.2f} s", f"{peak / 1e6:.0f} MB"]


def memory_gigabytes() -> float:
    """Memory of the machine in gigabytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
