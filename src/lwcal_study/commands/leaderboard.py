"""``lwcal leaderboard``: compare all calibrators."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console

from lwcal.errors import missing_extra
from lwcal_study.commands.progress import progress_bar

if TYPE_CHECKING:
    from lwcal_study.cell_store import CellStore
    from lwcal_study.leaderboard.grid import AnyCell


def leaderboard(
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path(
        "lwcal-leaderboard"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Few tasks and small forests; takes about a minute.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")
    ] = -1,
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", help="Run only this suite. Repeat the option for several."),
    ] = None,
) -> None:
    """Compare all calibrators on the paper's tasks and on real tasks. A stopped run is resumed.

    Suites: paper, paper-clean, real, real-clean, natural.

    Suites of many classes, only by name: classes, classes-clean, classes-natural.

    Suite of several reviewers, only by name: opinions.

    Example: lwcal leaderboard --quick --suite real --out lwcal-leaderboard
    """
    try:
        from lwcal_study.cell_store import CellStore
        from lwcal_study.leaderboard.grid import chosen_suites, suite_cells
        from lwcal_study.leaderboard.provenance import describe_run, fingerprint
        from lwcal_study.leaderboard.scores_file import collect

        suites = chosen_suites(suite)
        work = _work(suites)
    except ModuleNotFoundError as error:
        raise missing_extra(str(error.name), "study", "lwcal leaderboard") from None
    console = Console(highlight=False)
    wanted = [cell for name in suites for cell in suite_cells(name, quick=quick)]
    store = CellStore(out / "cells", fingerprint())
    _run(wanted, store, work.run.run_cell, jobs, console)
    run = describe_run(_command(suites, quick), quick=quick, cells=len(wanted))
    frame = collect(store, suites, quick=quick, metrics=work.run.METRICS)
    work.output.write_all(frame, run, out)
    console.print(f"wrote {out / work.output.PAGE}", soft_wrap=True)


class Work(NamedTuple):
    """The modules that run and write the suites of two classes, of many classes or of opinions."""

    run: ModuleType
    output: ModuleType


def _work(suites: list[str]) -> Work:
    from lwcal_study.leaderboard import output, run
    from lwcal_study.leaderboard.classes import output as class_output
    from lwcal_study.leaderboard.classes import run as class_run
    from lwcal_study.leaderboard.grid import CLASS_SUITES, OPINION_SUITES
    from lwcal_study.leaderboard.opinions import output as opinion_output
    from lwcal_study.leaderboard.opinions import run as opinion_run

    if suites[0] in OPINION_SUITES:
        return Work(opinion_run, opinion_output)
    return Work(class_run, class_output) if suites[0] in CLASS_SUITES else Work(run, output)


def _run(
    wanted: "list[AnyCell]",
    store: "CellStore",
    run_cell: Callable[["AnyCell"], dict[str, Any]],
    jobs: int,
    console: Console,
) -> None:
    from lwcal_study.runner import run_cells

    done = len(wanted) - len(store.missing(wanted))
    with progress_bar(console, total=len(wanted), done=done) as advance:
        run_cells(wanted, store, run_cell, n_jobs=jobs, on_finished=advance)


def _command(suites: list[str], quick: bool) -> str:
    """Command without folder and jobs: they do not change the results."""
    from lwcal_study.leaderboard.grid import SUITES

    chosen = [] if suites == list(SUITES) else [f"--suite {name}" for name in suites]
    return " ".join(["lwcal leaderboard", *(["--quick"] if quick else []), *chosen])
