"""Write the results as a Markdown page and a CSV file."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.data import KINDS
from benchmarks.methods import (
    APPLIERS,
    BETA,
    BETACAL,
    DESCRIPTIONS,
    FITTERS,
    LWCAL,
    SKLEARN,
)
from benchmarks.promises import FEW, PROMISES
from benchmarks.results import APPLY, COLUMNS, FIT, KNOTS, MEMORY, Results
from lwcal_study.files import replacing, write_text

INTRODUCTION = """\
`{command}` wrote this page on {date}.

- machine: {machine}
- versions: {versions}
- load average at the start: {load}

All methods of a table ran in turns in one process, on the same arrays: float64 scores, and int64
labels drawn with the score as probability, 20% of them flipped. Each time is the best of several
runs. Ratios carry over to other machines better than times, so the tables show ratios. The times
are in `speed.csv`. A dash means that the method did not run: it would have taken longer than
{limit:g} seconds, or it is not made for so many rows.
"""
FIT_NOTE = """\
Time of each method divided by the time of LWCal. Above 1, the method is slower than LWCal.
"""
BETA_NOTE = "Time of a fit of betacal divided by the time of a fit of Beta.\n"
APPLY_NOTE = """\
Time to map new scores, as many as the fit had rows, divided by the time of `LWCal.predict`.
`np.interp` uses the knots of LWCal.
"""


def write_csv(results: Results, target: Path) -> None:
    """Write all measurements."""
    with (
        replacing(target) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as handle,
    ):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(m, column) for column in COLUMNS] for m in results)


def write_markdown(results: Results, target: Path, **facts: object) -> None:
    """Write the page: first the targets, then all tables by number of rows."""
    parts = [
        "# Speed and memory\n",
        INTRODUCTION.format(**facts),
        "## Targets\n",
        promised_table(results),
        "## Fitting\n",
        FIT_NOTE,
        fit_table(results),
        *(f"- {name}: {words}" for name, words in DESCRIPTIONS.items()),
        "",
        "## Fitting 500 rows\n",
        few_rows_sentence(results),
        "## Beta calibration\n",
        BETA_NOTE,
        beta_table(results),
        "## Applying\n",
        APPLY_NOTE,
        apply_table(results),
        "## Memory\n",
        "Peak memory during a fit of continuous scores, minus the memory in use before the fit.\n",
        memory_table(results),
    ]
    write_text("\n".join(parts), target)


def promised_table(results: Results) -> str:
    """Every target, and whether this run met it."""
    return table(
        ("what", "target", "measured"),
        ((p.what, p.describe_target(), p.describe_measured(results)) for p in PROMISES),
    )


def fit_table(results: Results) -> str:
    """Times of all fits, divided by the time of LWCal."""
    others = [fitter.name for fitter in FITTERS if fitter.name != LWCAL]
    return table(
        ("scores", "rows", LWCAL, *others),
        (
            [kind, f"{rows:,}", _time(results.value(FIT, kind, rows, LWCAL))]
            + [_ratio(results.ratio(FIT, kind, rows, other, LWCAL)) for other in others]
            for kind, rows in _cases(results, FIT)
        ),
    )


def few_rows_sentence(results: Results) -> str:
    """Times at a size where the overhead of a call dominates."""
    ours = results.value(FIT, "continuous", FEW, LWCAL)
    theirs = results.value(FIT, "continuous", FEW, SKLEARN)
    ratio = results.ratio(FIT, "continuous", FEW, SKLEARN, LWCAL)
    return (
        f"`LWCal().fit` takes {_time(ours)}, scikit-learn's `IsotonicRegression().fit` "
        f"{_time(theirs)}: {_ratio(ratio)} times as long.\n"
    )


def beta_table(results: Results) -> str:
    """Our beta calibration compared with that of its authors."""
    return table(
        ("scores", "rows", BETA, BETACAL),
        (
            (
                kind,
                f"{rows:,}",
                _time(results.value(FIT, kind, rows, BETA)),
                _ratio(results.ratio(FIT, kind, rows, BETACAL, BETA)),
            )
            for kind, rows in _cases(results, FIT)
        ),
    )


def apply_table(results: Results) -> str:
    """Times to apply a map, divided by the time of LWCal."""
    others = [name for name in APPLIERS if name != LWCAL]
    return table(
        ("scores", "rows", "knots", LWCAL, *others),
        (
            [
                kind,
                f"{rows:,}",
                f"{results.value(KNOTS, kind, rows, LWCAL):,.0f}",
                _time(results.value(APPLY, kind, rows, LWCAL)),
            ]
            + [_ratio(results.ratio(APPLY, kind, rows, other, LWCAL)) for other in others]
            for kind, rows in _cases(results, APPLY)
        ),
    )


def memory_table(results: Results) -> str:
    """Extra bytes per row of both fits."""
    return table(
        ("rows", LWCAL, SKLEARN),
        (
            [f"{rows:,}"]
            + [
                "-" if value is None else f"{value:.1f} bytes per row"
                for value in (
                    results.value(MEMORY, "continuous", rows, who) for who in (LWCAL, SKLEARN)
                )
            ]
            for rows in results.sizes(MEMORY)
        ),
    )


def _cases(results: Results, task: str) -> list[tuple[str, int]]:
    return [
        (kind, rows)
        for kind in KINDS
        for rows in results.sizes(task)
        if rows != FEW  # has its own section
    ]


def table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    return "\n".join([line(header), line(["---"] * len(header)), *map(line, body), ""])


def _ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"
