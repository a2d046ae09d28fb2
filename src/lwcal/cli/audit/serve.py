"""``lwcal audit serve``: a page on this machine for the person who checks labels."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.audit.sheets import plan_rows, write_plan
from lwcal.cli.audit.source import open_source
from lwcal.cli.columns import Asked
from lwcal.cli.console import stdout
from lwcal.cli.sources import shown, source_files
from lwcal.errors import ParameterError, message, missing_extra
from lwcal.formats import format_of

if TYPE_CHECKING:
    from lwcal.page.session import AuditSession

QUESTION = "What is the true label?"


def serve(
    scores: options.ScoresFile,
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet", help="CSV file of the answers; default: NAME.audit.csv beside SCORES."
        ),
    ] = None,
    budget: options.Budget = 50,
    seed: options.Seed = 0,
    question: Annotated[
        str, typer.Option("--question", help="What the page asks about every row.")
    ] = QUESTION,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any that is free.")
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            "--host", help="Address to listen on; others than this machine's open it to a network."
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address only.")
    ] = False,
    score: options.Score = None,
    label: options.Label = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
) -> None:
    """Open a page to check labels on; every answer is saved, and Ctrl-C ends it.

    Example: lwcal audit serve lwcal-demo/calibration.csv
    """
    try:
        from lwcal.page.app import make_app
        from lwcal.page.estimate_worker import EstimateWorker
        from lwcal.page.server import listen
        from lwcal.page.server import serve as answer_requests
        from lwcal.page.session import AuditSession
    except ImportError as error:
        raise missing_extra(str(error.name), "page", "the audit page") from None
    path = _sheet_name(scores, sheet)
    opened = open_source(scores, Asked(score, label, None, pos_label, id_column, form))
    with listen(host, port) as listening:  # a port in use is told before a sheet is made
        if not path.exists():
            write_plan(opened, plan_rows(opened, budget, seed), path, overwrite=False)
        session = AuditSession(path, opened.source)
        opened.announce()
        command = opened.merge_command(path)
        app = make_app(session, EstimateWorker(opened.source, opened.earlier), command, question)

        def tell(address: str) -> None:
            _say(_begin(session, address))
            sys.stdout.flush()
            if not no_browser and _has_screen():
                webbrowser.open(address)

        answer_requests(app, listening, host, tell)
    _say(_end(session, command))


def _begin(session: "AuditSession", address: str) -> str:
    answered = _answered(session)
    resumed = f", {answered:,} of them answered before" if answered else ""
    return (
        f"{len(session.rows):,} rows to check{resumed}. Open {address}\n"
        f"Every answer is saved in {session.path}; Ctrl-C ends."
    )


def _end(session: "AuditSession", command: str) -> str:
    answered = _answered(session)
    then = f"Next: {command}" if answered else "Nothing to merge yet."
    return f"\n{answered:,} of {len(session.rows):,} rows answered, saved in {session.path}. {then}"


def _answered(session: "AuditSession") -> int:
    return sum(row.answer is not None for row in session.rows)


def _say(text: str) -> None:
    stdout().print(text, soft_wrap=True, markup=False)


def _sheet_name(scores: str, sheet: Path | None) -> Path:
    if sheet is None:
        files = source_files(scores)
        if len(files) != 1:
            got = shown(scores) if not files else f"{len(files):,} files"
            raise ParameterError(message("--sheet unless SCORES is one file", got))
        name = files[0].name.removesuffix(".gz").removesuffix(".GZ")
        sheet = files[0].with_name(f"{Path(name).stem}.audit.csv")
    if format_of(str(sheet)) != ("csv", False):
        raise ParameterError(message("a --sheet ending in .csv", str(sheet)))
    return sheet


def _has_screen() -> bool:
    """Whether a browser would open in a window, and not in this very terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
