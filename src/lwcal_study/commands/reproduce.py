"""``lwcal reproduce``: run the paper's study."""

import sys
from pathlib import Path
from subprocess import CalledProcessError
from typing import Annotated

import typer
from rich.console import Console

from lwcal.errors import EngineError, missing_extra
from lwcal_study.commands.progress import progress_bar


def reproduce(
    out: Annotated[Path, typer.Option("--out", help="Folder for the results.")] = Path(
        "lwcal-study"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed and small forests; takes about a minute.")
    ] = False,
    package: Annotated[
        bool, typer.Option("--package", help="Also write one archive of all results.")
    ] = False,
    skip_compile: Annotated[
        bool, typer.Option("--skip-compile", help="Do not compile the report to PDF.")
    ] = False,
    analyse_only: Annotated[
        bool,
        typer.Option("--analyse-only", help="Rebuild tables and reports from data/*.csv only."),
    ] = False,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity", help="Test the claims under every choice that the paper leaves open."
        ),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")
    ] = -1,
    dask_scheduler: Annotated[
        str | None,
        typer.Option("--dask-scheduler", help="Run on the cluster of this Dask scheduler."),
    ] = None,
) -> None:
    """Run the paper's study. A stopped run is resumed.

    Example: lwcal reproduce --quick --skip-compile --out lwcal-study
    """
    try:
        from lwcal_study.paper import artifact, output
        from lwcal_study.paper.summary import counted_outcomes
    except ModuleNotFoundError as error:
        raise missing_extra(str(error.name), "study", "lwcal reproduce") from None
    console = Console(highlight=False)
    if sensitivity:
        _sensitivity(out, quick=quick, jobs=jobs, dask_scheduler=dask_scheduler, console=console)
        return
    if not analyse_only:
        _run(out, quick=quick, jobs=jobs, dask_scheduler=dask_scheduler, console=console)
    summary = output.write_all(out, quick=quick)
    if not skip_compile:
        _compile(out, console)
    artifact.write_manifest(out, command=_command())
    written = [out / "report.html", out / artifact.MANIFEST]
    if package:
        written.append(artifact.write_archive(out))
    console.print(
        f"mean absolute difference from the paper's numbers: {summary.distance:.4f}; "
        f"largest difference in ECE in the main table: {summary.main_distance:.4f}; "
        f"claims: {counted_outcomes(summary)}"
    )
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)


def _run(
    out: Path, *, quick: bool, jobs: int, dask_scheduler: str | None, console: Console
) -> None:
    from lwcal_study.cell_store import CellStore
    from lwcal_study.paper.artifact import CELLS, write_environment
    from lwcal_study.paper.cells import run_cell
    from lwcal_study.paper.fingerprint import fingerprint
    from lwcal_study.paper.grid import all_cells
    from lwcal_study.paper.results import (
        collect,
        collect_baselines,
        collect_weights,
        write_results,
        write_weights,
    )
    from lwcal_study.paper.run_record import RUN_FILE, write_run
    from lwcal_study.runner import run_cells

    wanted = all_cells(quick=quick)
    store = CellStore(out / CELLS, fingerprint())
    done = len(wanted) - len(store.missing(wanted))
    with progress_bar(console, total=len(wanted), done=done) as advance:
        run_cells(
            wanted,
            store,
            run_cell,
            n_jobs=jobs,
            dask_scheduler=dask_scheduler,
            on_finished=advance,
        )
    if done < len(wanted) or not (out / RUN_FILE).exists():  # otherwise an earlier run's stays
        write_environment(out)
        write_run(out, cells=len(wanted))
    write_results(collect(store, quick=quick), out / "data")
    write_results(collect_baselines(store, quick=quick), out / "data")
    write_weights(collect_weights(store, wanted), out / "data" / "weights.parquet")


def _sensitivity(
    out: Path, *, quick: bool, jobs: int, dask_scheduler: str | None, console: Console
) -> None:
    from lwcal_study.cell_store import CellStore
    from lwcal_study.paper.artifact import CELLS
    from lwcal_study.paper.sensitivity import cells, outcomes, report
    from lwcal_study.runner import run_cells

    wanted = cells.varied_cells(quick=quick)
    store = CellStore(out / CELLS, cells.sensitivity_fingerprint())
    done = len(wanted) - len(store.missing(wanted))
    with progress_bar(console, total=len(wanted), done=done) as advance:
        run_cells(
            wanted,
            store,
            cells.run_varied,
            n_jobs=jobs,
            dask_scheduler=dask_scheduler,
            on_finished=advance,
        )
    found = outcomes.outcomes(store, quick=quick, n_jobs=jobs)
    report.write_outcomes(
        found,
        out,
        cells=len(wanted),
        seeds=len({varied.cell.seed for varied in wanted}),
        cpu_seconds=sum(store.load(varied)["cpu_seconds"] for varied in wanted),
        quick=quick,
    )
    console.print(report.headline(found))
    for name in (report.OUTCOMES_FILE, report.RUN_FILE):
        console.print(f"wrote {out / report.FOLDER / name}", soft_wrap=True)


def _compile(out: Path, console: Console) -> None:
    from lwcal_study.paper.report_latex import compile_pdf, find_engine

    if find_engine() is None:
        console.print(
            "no PDF, because no LaTeX engine is installed: install one (such as latexmk with "
            "texlive-latex-extra), or pass --skip-compile"
        )
        return
    try:
        compile_pdf(out / "papers" / "trimcal" / "report.tex", out / "figures")
    except CalledProcessError as error:
        output = error.stdout.decode(errors="replace")[-400:]
        raise EngineError(f"the LaTeX engine failed: {output}") from None


def _command() -> str:
    """Command without the output folder, which differs from reader to reader."""
    arguments = sys.argv[1:]
    if "--out" in arguments:
        place = arguments.index("--out")
        arguments = arguments[:place] + arguments[place + 2 :]
    return " ".join(["lwcal", *arguments])
