"""``lwcal reproduce``: the paper's whole experiment."""

import sys
from pathlib import Path
from subprocess import CalledProcessError
from typing import Annotated

import typer
from rich.console import Console

from lwcal.cli.console import cells_progress
from lwcal.errors import missing_extra


def reproduce(
    out: Annotated[Path, typer.Option("--out", help="Folder for the artefact.")] = Path(
        "lwcal-study"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, small forests: a minute.")
    ] = False,
    package: Annotated[bool, typer.Option("--package", help="Also write the archive.")] = False,
    skip_compile: Annotated[
        bool, typer.Option("--skip-compile", help="Do not compile the report to PDF.")
    ] = False,
    analyse_only: Annotated[
        bool, typer.Option("--analyse-only", help="Rebuild tables and report from data/*.csv.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1 is one a core.")] = -1,
    dask_scheduler: Annotated[
        str | None, typer.Option("--dask-scheduler", help="Address of a Dask scheduler to use.")
    ] = None,
) -> None:
    """Repeat the paper's study; a run that was stopped goes on where it was.

    Example: lwcal reproduce --quick --skip-compile --out lwcal-study
    """
    try:
        from lwcal_study import analysis
        from lwcal_study import package as packaging
        from lwcal_study.wording import counted_outcomes
    except ImportError as error:
        raise missing_extra(str(error.name), "study", "lwcal reproduce") from None
    console = Console(highlight=False)
    if not analyse_only:
        _run(out, quick=quick, jobs=jobs, dask_scheduler=dask_scheduler, console=console)
    summary = analysis.analyse(out, quick=quick)
    if not skip_compile:
        _compile(out, console)
    packaging.write_manifest(out, command=_command())
    written = [out / "report.html", out / packaging.MANIFEST]
    if package:
        written.append(packaging.write_archive(out))
    console.print(
        f"mean absolute distance to the paper's numbers {summary.distance:.4f}; "
        f"largest ECE distance in the main table {summary.main_distance:.4f}; of its claims "
        f"{counted_outcomes(summary)}"
    )
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)


def _run(
    out: Path, *, quick: bool, jobs: int, dask_scheduler: str | None, console: Console
) -> None:
    from lwcal_study.grid import all_cells
    from lwcal_study.package import CELLS
    from lwcal_study.results import collect, collect_weights, write_results, write_weights
    from lwcal_study.runner import run_cells
    from lwcal_study.store import CellStore

    wanted = all_cells(quick=quick)
    store = CellStore(out / CELLS)
    done = len(wanted) - len(store.missing(wanted))
    with cells_progress(console, total=len(wanted), done=done) as advance:
        run_cells(wanted, store, n_jobs=jobs, dask_scheduler=dask_scheduler, on_finished=advance)
    write_results(collect(store, quick=quick), out / "data")
    write_weights(collect_weights(store, wanted), out / "data" / "weights.parquet")


def _compile(out: Path, console: Console) -> None:
    from lwcal_study.latex import compile_pdf, find_engine

    if find_engine() is None:
        console.print(
            "no PDF: install a LaTeX engine (such as latexmk with texlive-latex-extra), or pass "
            "--skip-compile"
        )
        return
    try:
        compile_pdf(out / "papers" / "trimcal" / "report.tex", out / "figures")
    except CalledProcessError as error:
        raise OSError(
            f"the LaTeX engine failed: {error.stdout.decode(errors='replace')[-400:]}"
        ) from None


def _command() -> str:
    """Write the call without the folder, which is the reader's own."""
    arguments = sys.argv[1:]
    if "--out" in arguments:
        place = arguments.index("--out")
        arguments = arguments[:place] + arguments[place + 2 :]
    return " ".join(["lwcal", *arguments])
