"""The calls of ``lwcal opinions``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.quick_typer import QuickCommand, QuickGroup
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest

UNUSED = ("weight", "engine", "master", "drop_invalid", "allow_drop_share")
"""Options that sheets lack: they need every row, once, in its place."""

opinions = typer.Typer(
    cls=QuickGroup,
    help="Work with the labels of several reviewers.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@opinions.callback()
def group() -> None:
    """Work with the labels of several reviewers."""


@opinions.command(cls=QuickCommand)
def read(
    export: Annotated[
        Path,
        typer.Argument(
            metavar="EXPORT",
            help="File of Label Studio (JSON, CSV, JSON_MIN), Prodigy, Argilla or doccano, or a "
            "table as crowd-kit or cleanlab use it. A folder or ZIP archive has a file for each "
            "reviewer.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", help="File for the opinions: .parquet, .csv or .jsonl."),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"Layout of EXPORT: {', '.join(options.EXPORTS)}. Default: its content decides.",
            autocompletion=options.one_of(options.EXPORTS),
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option("--question", help="Question whose answers to read, if there are several."),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            "--item", help="Field that names the item. Default: the id that the tool gave it."
        ),
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option("--reviewer", help="Who gave the answers that name no reviewer."),
    ] = None,
    reviewers: Annotated[
        str | None,
        typer.Option(
            "--reviewers",
            help="For a table with a column for each reviewer: the columns, as a quoted pattern "
            "such as 'annotator_*', or with commas between them.",
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="NAMES",
            help="Fields of the item to carry along, with commas between them.",
        ),
    ] = None,
    drop_several: Annotated[
        bool,
        typer.Option(
            "--drop-several",
            help="Leave out answers with several choices, and count them. By default they are "
            "refused.",
        ),
    ] = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Read who says what about which item from the file of an annotation tool.

    Drafts, predictions, and cancelled and empty answers are left out and counted.

    Example: lwcal opinions read export.json --out opinions.parquet
    """
    from lwcal.cli.opinions.read import run

    run(
        export,
        out=out,
        form=form,
        question=question,
        item=item,
        reviewer=reviewer,
        reviewers=reviewers,
        keep=keep,
        drop_several=drop_several,
        force=force,
        as_json=as_json,
    )


@opinions.command(cls=QuickCommand)
@takes_rows(*UNUSED)
def plan(
    rows: "RowsRequest",
    out: Annotated[
        Path,
        typer.Option("--out", help="File for the rows to ask about: .csv, .parquet or .jsonl."),
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Number of rows to ask about.")] = 100,
    item: options.Item = None,
    reviewer: options.Reviewer = None,
    trusted: options.Trusted = None,
    for_reviewer: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="NAME",
            help="Who will be asked. Rows that they labelled already are not chosen.",
        ),
    ] = None,
    most_opinions: Annotated[
        int,
        typer.Option(
            "--most-opinions", min=1, help="Rows with more opinions than this are not chosen."
        ),
    ] = 1,
    seed: options.Seed = 0,
    show_column: options.ShowColumn = None,
    hide_column: options.HideColumn = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose rows for a second opinion, and write them as a sheet.

    The sheet shows the case, and neither a label nor a score. Every row with one opinion has the
    same chance. `merge` adds the answers to SCORES.

    Example: lwcal opinions plan lwcal-demo/calibration.csv --n 100 --out second.csv
    """
    from lwcal.cli.opinions.columns import OpinionsRequest
    from lwcal.cli.opinions.plan import run

    run(
        OpinionsRequest(rows, item, reviewer, trusted),
        out=out,
        n=n,
        reviewer=for_reviewer,
        most_opinions=most_opinions,
        seed=seed,
        show_column=show_column,
        hide_column=hide_column,
        force=force,
        as_json=as_json,
    )


@opinions.command(cls=QuickCommand)
@takes_rows(*UNUSED)
def merge(
    rows: "RowsRequest",
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET...", help="Answered sheets that `plan` wrote.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", help="File for the rows with the answers: .parquet, .csv or .jsonl."),
    ],
    item: options.Item = None,
    reviewer: options.Reviewer = None,
    trusted: options.Trusted = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="NAME", help="Who answered, where the sheet does not say."),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add the answers of sheets to the rows, as further opinions.

    They become further columns, or rows of a file in which each row is one opinion. All other
    values stay as they are written.

    Example: lwcal opinions merge lwcal-demo/calibration.csv second.csv --out merged.parquet
    """
    from lwcal.cli.opinions.columns import OpinionsRequest
    from lwcal.cli.opinions.merge import run

    request = OpinionsRequest(rows, item, reviewer, trusted)
    run(request, sheets, out=out, by=by, force=force, as_json=as_json)


@opinions.command(cls=QuickCommand)
@takes_rows()
def report(
    rows: "RowsRequest",
    item: options.Item = None,
    reviewer: options.Reviewer = None,
    trusted: options.Trusted = None,
    as_json: options.AsJson = False,
) -> None:
    """Print how far reviewers agree, and how often each of them is wrong.

    SCORES is the JSON file of a calibrator that was fitted to several opinions, or rows with them.

    Example: lwcal opinions report merged.parquet --label label,label_2
    """
    from lwcal.cli.opinions.columns import OpinionsRequest
    from lwcal.cli.opinions.report import run

    run(OpinionsRequest(rows, item, reviewer, trusted), as_json=as_json)
