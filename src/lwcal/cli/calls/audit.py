"""The calls of ``lwcal audit``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from lwcal.cli import options
from lwcal.cli.quick_typer import QuickCommand, QuickGroup
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest

UNUSED = ("weight", "engine", "master", "drop_invalid", "allow_drop_share")
"""Options that audits lack: they need every row, once, in its place."""
QUESTION = "What is the true label?"

ShowLabel: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--show-label",
        help="Show the label and the score of every row. By default both are hidden: an auditor "
        "who sees them tends to agree with them. So this option biases the answers.",
    ),
]
audit = typer.Typer(
    cls=QuickGroup,
    help="Check some labels, and fit a calibrator with the answers.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@audit.command(cls=QuickCommand)
@takes_rows(*UNUSED)
def plan(
    rows: "RowsRequest",
    out: Annotated[
        Path,
        typer.Option("--out", help="File for the rows to check: .csv, .parquet or .jsonl."),
    ],
    budget: options.Budget = 50,
    seed: options.Seed = 0,
    show_label: ShowLabel = False,
    show_column: options.ShowColumn = None,
    hide_column: options.HideColumn = None,
    hide_score: Annotated[
        bool,
        typer.Option("--hide-score", help="With --show-label: show the label, but not the score."),
    ] = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the labels to check, and write them as a sheet.

    The sheet shows the case, and neither its label nor its score. `merge` takes both from SCORES.

    Example: lwcal audit plan lwcal-demo/calibration.csv --out to_check.csv
    """
    from lwcal.cli.audit.plan import run

    run(
        rows,
        out=out,
        budget=budget,
        seed=seed,
        show_label=show_label,
        show_column=show_column,
        hide_column=hide_column,
        hide_score=hide_score,
        force=force,
        as_json=as_json,
    )


@audit.command(cls=QuickCommand)
@takes_rows(*UNUSED)
def merge(
    rows: "RowsRequest",
    sheets: Annotated[
        list[Path],
        typer.Argument(metavar="SHEET...", help="Answered sheets that `plan` or `serve` wrote."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="JSON file to write the calibrator to. Not with opinions: `lwcal fit` takes them.",
        ),
    ] = None,
    out_scores: Annotated[
        Path | None,
        typer.Option(
            "--out-scores",
            help="File for the rows with the answers, for further rounds. Opinions need it: each "
            "reviewer has a column opinion_NAME in it.",
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> int:
    """Fit a calibrator with checked labels, or collect the opinions of several reviewers.

    The exit code is that of `diagnose` with these labels: 1 if they do not settle the verdict.
    Answers that were given with `serve --as` are opinions. They are written beside the rows, and
    nothing is fitted.

    Example: lwcal audit merge lwcal-demo/calibration.csv to_check.csv --out audited.json
    """
    from lwcal.cli.audit.merge import run

    return run(rows, sheets, out=out, out_scores=out_scores, force=force, as_json=as_json)


@audit.command(cls=QuickCommand)
@takes_rows(*UNUSED)
def serve(
    rows: "RowsRequest",
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet",
            help="CSV file of the answers; an existing one is resumed. Default: NAME.audit.csv "
            "beside SCORES.",
        ),
    ] = None,
    budget: options.Budget = 50,
    seed: options.Seed = 0,
    reviewer: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Answer as one of several reviewers. Each starts the command with another name "
            "and the same sheet, and sees no answer of the others. The answers are opinions, not "
            "checked labels.",
        ),
    ] = None,
    question: Annotated[
        str, typer.Option("--question", help="Question that the page asks about every row.")
    ] = QUESTION,
    show_label: ShowLabel = False,
    show_column: options.ShowColumn = None,
    hide_column: options.HideColumn = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 means any free one.")
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Address to listen on. Another address than the default opens the page to a "
            "network.",
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Serve a page for checking labels.

    The page shows the case, and neither its label nor its score. Estimates appear when all rows
    are answered. Every answer is saved at once. Ctrl-C ends the page.

    Example: lwcal audit serve lwcal-demo/calibration.csv
    """
    from lwcal.cli.audit.serve import run

    run(
        rows,
        sheet=sheet,
        budget=budget,
        seed=seed,
        reviewer=reviewer,
        question=question,
        show_label=show_label,
        show_column=show_column,
        hide_column=hide_column,
        port=port,
        host=host,
        no_browser=no_browser,
    )
