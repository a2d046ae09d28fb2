"""Write the results as a Markdown page and a CSV file."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import grid
from benchmarks.data import KINDS
from benchmarks.methods import (
    APPLIERS,
    BETA,
    BETACAL,
    DESCRIPTIONS,
    FITTERS,
    LWCAL,
    SKLEARN,
    SORT,
)
from benchmarks.results import (
    APPLY,
    APPLY_CLASSES,
    APPLY_FILE,
    COLUMNS,
    EVALUATE,
    FIT,
    GRID,
    HELP,
    KNOTS,
    MEMORY,
    NOISE_MODELS,
    ONE_SCORE,
    REPORT,
    SEGMENTS,
    THREADS,
    Results,
)
from benchmarks.targets import TARGETS
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
TARGETS_NOTE = """\
Where a target covers several numbers of rows, the worst of them counts, and is named.
"""
GRID_NOTE = """\
![Time of a fit per row against the number of rows, for LWCal, GatedLWCal, Isotonic, scikit-learn
and np.sort]({picture})

Three calibrators against scikit-learn: how many times as fast each is. Below 1 it is slower, which
makes the command fail. The last two columns divide the time of LWCal by the time of `np.sort`, and
by the time that the two neighbouring numbers of rows predict.
"""
FIT_NOTE = """\
Time of each method divided by the time of LWCal. Above 1, the method is slower than LWCal.
"""
BETA_NOTE = "Time of a fit of betacal divided by the time of a fit of Beta.\n"
APPLY_NOTE = """\
Time to map new scores, as many as the fit had rows, divided by the time of `LWCal.predict`.
`np.interp` uses the knots of LWCal. The copy is that of the scores into a new array.
"""
OTHER_NOTE = """\
The time for segments includes pooling their rows. The eight tables have between a tenth of the rows
shown and all of them. A command is timed as a whole process.
"""
OTHER_TASKS = (
    NOISE_MODELS, ONE_SCORE, APPLY_CLASSES, SEGMENTS, EVALUATE, REPORT, THREADS, HELP, APPLY_FILE,
)  # fmt: skip


def write_csv(results: Results, target: Path) -> None:
    """Write all measurements."""
    with (
        replacing(target) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as handle,
    ):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([getattr(m, column) for column in COLUMNS] for m in results)


def write_markdown(results: Results, target: Path, *, picture: str, **facts: object) -> None:
    """Write the page: first the targets, then the picture and all tables by number of rows."""
    parts = [
        "# Speed and memory\n",
        INTRODUCTION.format(**facts),
        "## Targets\n",
        TARGETS_NOTE,
        target_table(results),
        *why_missed(results),
        "## Fitting at every number of rows\n",
        GRID_NOTE.format(picture=picture),
        grid_table(results),
        "## Fitting\n",
        FIT_NOTE,
        fit_table(results),
        *(f"- {name}: {words}" for name, words in DESCRIPTIONS.items()),
        "",
        "## Beta calibration\n",
        BETA_NOTE,
        beta_table(results),
        "## Applying\n",
        APPLY_NOTE,
        apply_table(results),
        "## Memory\n",
        "Peak memory during a fit of continuous scores, minus the memory in use before the fit.\n",
        memory_table(results),
        "## Other tasks\n",
        OTHER_NOTE,
        other_table(results),
    ]
    write_text("\n".join(parts), target)


def target_table(results: Results) -> str:
    """Every target, and whether this run met it."""
    return table(
        ("what", "target", "measured"),
        ((aim.what, aim.describe_target(), aim.describe_measured(results)) for aim in TARGETS),
    )


def why_missed(results: Results) -> list[str]:
    """A section with a reason for each target that this run missed, if it missed any."""
    missed = [aim for aim in TARGETS if aim.why and aim.is_missed(results)]
    reasons = {
        why: [aim.what for aim in missed if aim.why == why] for why in (a.why for a in missed)
    }
    lines = [f"- {'; '.join(what)}: {why}" for why, what in reasons.items()]
    return ["## Why targets are missed\n", *lines, ""] if lines else []


def grid_table(results: Results) -> str:
    """How many times as fast as scikit-learn the fits are; in bold where one is slower."""
    return table(
        ("rows", "LWCal takes", *grid.OWN, "LWCal / np.sort", "LWCal / neighbours"),
        (
            [f"{rows:,}", _time(grid.seconds(results, rows, LWCAL))]
            + [_times_as_fast(grid.ratio(results, rows, SKLEARN, name)) for name in grid.OWN]
            + [_ratio(grid.ratio(results, rows, LWCAL, SORT)), _ratio(grid.excess(results, rows))]
            for rows in results.sizes(GRID)
        ),
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


def other_table(results: Results) -> str:
    """Times of everything else, task by task."""
    return table(
        ("task", "rows", "what ran", "time"),
        (
            (task, f"{m.rows:,}" if m.rows else "-", m.contender, _time(m.value))
            for task in OTHER_TASKS
            for m in results
            if m.task == task
        ),
    )


def _cases(results: Results, task: str) -> list[tuple[str, int]]:
    return [(kind, rows) for kind in KINDS for rows in results.sizes(task)]


def table(header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    return "\n".join([line(header), line(["---"] * len(header)), *map(line, body), ""])


def _times_as_fast(value: float | None) -> str:
    return f"**{_ratio(value)}**" if value is not None and value < 1 else _ratio(value)


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
