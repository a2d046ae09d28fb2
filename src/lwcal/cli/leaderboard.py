"""``lwcal leaderboard``: every calibrator against every other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lwcal.cli.console import cells_progress
from lwcal.errors import missing_extra

if TYPE_CHECKING:
    from lwcal_study.leaderboard.grid import AnyCell
    from lwcal_study.store import CellStore


def leaderboard(
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path(
        "lwcal-leaderboard"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Few tasks, small forests: a minute.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1 is one a core.")] = -1,
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", help="Run this suite only; may be given several times."),
    ] = None,
) -> None:
    """Compare all calibrators on the paper's tasks and on real ones; a stopped run goes on.

    Suites: paper, paper-clean, real, real-clean, natural.

    Example: lwcal leaderboard --quick --suite real --out lwcal-leaderboard
    """
    try:
        from lwcal_study.leaderboard import output
        from lwcal_study.leaderboard.environment import describe_run
        from lwcal_study.leaderboard.frames import collect
        from lwcal_study.leaderboard.grid import SUITES, suite_cells
        from lwcal_study.leaderboard.run import fingerprint
        from lwcal_study.store import CellStore
    except ImportError as error:
        raise missing_extra(str(error.name), "study", "lwcal leaderboard") from None
    console = Console(highlight=False)
    suites = list(dict.fromkeys(suite or SUITES))
    wanted = [cell for name in suites for cell in suite_cells(name, quick=quick)]
    store = CellStore(out / "cells", fingerprint())
    _run(wanted, store, jobs, console)
    run = describe_run(_command(suites, quick), quick=quick, cells=len(wanted))
    output.write_all(collect(store, suites, quick=quick), run, out)
    console.print(f"wrote {out / output.PAGE}", soft_wrap=True)


def _run(wanted: "list[AnyCell]", store: "CellStore", jobs: int, console: Console) -> None:
    from lwcal_study.leaderboard.run import run_contest
    from lwcal_study.runner import run_cells

    done = len(wanted) - len(store.missing(wanted))
    with cells_progress(console, total=len(wanted), done=done) as advance:
        run_cells(wanted, store, run=run_contest, n_jobs=jobs, on_finished=advance)


def _command(suites: list[str], quick: bool) -> str:
    """Write the call without folder and jobs, which are the reader's own and change nothing."""
    from lwcal_study.leaderboard.grid import SUITES

    chosen = [] if suites == list(SUITES) else [f"--suite {name}" for name in suites]
    return " ".join(["lwcal leaderboard", *(["--quick"] if quick else []), *chosen])
