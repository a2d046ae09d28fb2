"""The calls of ``lwcal table``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.quick_typer import QuickCommand, QuickGroup
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest

table = typer.Typer(
    cls=QuickGroup,
    help="Reduce rows to tables of counts, and merge such tables.",
    no_args_is_help=True,
)
TableOut = Annotated[Path, typer.Option("--out", help="Parquet file to write the table to.")]


@table.command(cls=QuickCommand)
@takes_rows()
def reduce(
    rows: "RowsRequest",
    out: TableOut,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Count the labels at every score. The table replaces the rows in most other commands.

    Example: lwcal table reduce lwcal-demo/calibration.csv --out may.parquet
    """
    from lwcal.cli.table import run_reduce

    run_reduce(rows, out=out, force=force, as_json=as_json)


@table.command(cls=QuickCommand)
def merge(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLES", help="Files that `table reduce` wrote.")
    ],
    out: TableOut,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add up the tables of parts of the data, such as shards or days.

    Example: lwcal table merge may.parquet june.parquet --out both.parquet
    """
    from lwcal.cli.table import run_merge

    run_merge(tables, out=out, force=force, as_json=as_json)
