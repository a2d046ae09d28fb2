"""``lwcal traps``: judge calibrators on models that mislead them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from lwcal.errors import missing_extra
from lwcal_study.commands.progress import progress_bar


def traps(
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path(
        "lwcal-traps"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Two tasks and three learners; takes seconds.")
    ] = False,
    development: Annotated[
        bool,
        typer.Option("--development", help="Only the tasks on which methods may be chosen."),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")
    ] = -1,
) -> None:
    """Judge calibrators on models whose shape looks like label noise. A stopped run is resumed.

    Example: lwcal traps --quick --out lwcal-traps
    """
    try:
        from lwcal_study.cell_store import CellStore
        from lwcal_study.leaderboard.provenance import describe_run, fingerprint
        from lwcal_study.runner import run_cells
        from lwcal_study.traps import output
        from lwcal_study.traps.grid import PARTS, trap_cells
        from lwcal_study.traps.judging import run_cell
        from lwcal_study.traps.summary import tidy
    except ModuleNotFoundError as error:
        raise missing_extra(str(error.name), "study", "lwcal traps") from None
    console = Console(highlight=False)
    wanted = trap_cells(("development",) if development else PARTS, quick=quick)
    store = CellStore(out / "cells", fingerprint())
    done = len(wanted) - len(store.missing(wanted))
    with progress_bar(console, total=len(wanted), done=done) as advance:
        run_cells(wanted, store, run_cell, n_jobs=jobs, on_finished=advance)
    options = {"--quick": quick, "--development": development}
    command = " ".join(["lwcal traps", *(name for name, given in options.items() if given)])
    run = describe_run(command, quick=quick, cells=len(wanted))
    output.write_all(tidy(map(store.load, wanted)), run, out)
    console.print(f"wrote {out / output.PAGE}", soft_wrap=True)
