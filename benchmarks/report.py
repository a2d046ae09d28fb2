"""The results as a Markdown page and a CSV file."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.contenders import (
    APPLIERS,
    BETA,
    BETACAL,
    DESCRIPTIONS,
    FITTERS,
    LWCAL,
    SKLEARN,
)
from benchmarks.data import KINDS
from benchmarks.promises import FEW, PROMISES
from benchmarks.results import APPLY, COLUMNS, FIT, KNOTS, MEMORY, Results
from lwcal.files import replacing

INTRODUCTION = """\
Made by `{command}` on {date}.

- machine: {machine}
- versions: {versions}
- load average when it began: {load}

All contenders of a table took turns in one process, on the same arrays: float64 scores and
int64 labels, drawn with the score as probability, a fifth of them flipped. A time is the best
of several runs. Ratios carry over to other machines better than times do, so the tables hold
ratios; the times are in `speed.csv`. A dash means: not run, because it would have taken longer
than {limit:g} seconds or the method is not meant for so many rows.
"""
FIT_NOTE = """\
Time of each in units of LWCal's (above 1: slower than LWCal).
"""
BETA_NOTE = "Time of betacal's fit in units of the time of Beta's.\n"
APPLY_NOTE = """\
Time to map as many new scores as there were rows in the fit, in units of the time of
`LWCal.predict`. `np.interp` uses LWCal's knots.
"""


def write_csv(results: Results, target: Path) -> None:
    """Write the numbers as they were measured."""
    with (
        replacing(target, overwrite=True) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as handle,
    ):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(m, column) for column in COLUMNS] for m in results)


def write_markdown(results: Results, target: Path, **facts: object) -> None:
    """Write the page: what is promised first, then everything by number of rows."""
    parts = [
        "# Speed and memory\n",
        INTRODUCTION.format(**facts),
        "## What is promised\n",
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
        "Peak of memory during a fit of continuous scores, beyond what was in use before it.\n",
        memory_table(results),
    ]
    with replacing(target, overwrite=True) as temporary:
        temporary.write_text("\n".join(parts), encoding="utf-8")


def promised_table(results: Results) -> str:
    """Say of every target whether it was met."""
    return table(
        ("what", "target", "measured"),
        ((p.what, p.describe_target(), p.describe_measured(results)) for p in PROMISES),
    )


def fit_table(results: Results) -> str:
    """Times of all fits in units of LWCal's."""
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
    """Times at a size where the overhead of a call decides."""
    ours = results.value(FIT, "continuous", FEW, LWCAL)
    theirs = results.value(FIT, "continuous", FEW, SKLEARN)
    ratio = results.ratio(FIT, "continuous", FEW, SKLEARN, LWCAL)
    return (
        f"`LWCal().fit` takes {_time(ours)}, scikit-learn's `IsotonicRegression().fit` "
        f"{_time(theirs)}: {_ratio(ratio)} times as long.\n"
    )


def beta_table(results: Results) -> str:
    """Our beta calibration against its authors'."""
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
    """Times of all ways to apply a map in units of LWCal's."""
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
    """Extra bytes a row of both fits."""
    return table(
        ("rows", LWCAL, SKLEARN),
        (
            [f"{rows:,}"]
            + [
                "-" if value is None else f"{value:.1f} bytes a row"
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
        if rows != FEW  # has a section of its own
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
