"""``lwcal table``: reduce rows to small tables of counts where they lie, and merge tables."""

from pathlib import Path
from typing import Annotated, Any

import typer

from lwcal.atomic_files import check_writable
from lwcal.cli import options
from lwcal.cli.console import print_json, say
from lwcal.cli.request import RowsRequest, takes_rows
from lwcal.errors import OutputError, message
from lwcal.table import ScoreTable

table = typer.Typer(
    help="Reduce rows to tables of counts, and merge such tables.", no_args_is_help=True
)
TableOut = Annotated[Path, typer.Option("--out", help="Parquet file to write the table to.")]


@table.command()
@takes_rows()
def reduce(
    rows: RowsRequest,
    out: TableOut,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Count the labels at every score. The table replaces the rows in most other commands.

    Example: lwcal table reduce lwcal-demo/calibration.csv --out may.parquet
    """
    _check_out(out, force=force)
    found = rows.reduce()
    found.table.save(out, overwrite=force)
    if as_json:
        print_json({**_document(found.table, out), "positive_class": found.positive})
    else:
        _print(found.table, out)
        say(f"positive class: {found.positive_class}")


@table.command()
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
    _check_out(out, force=force)
    merged = ScoreTable.merge(ScoreTable.load(path) for path in tables)
    merged.save(out, overwrite=force)
    if as_json:
        print_json(_document(merged, out))
    else:
        _print(merged, out)


def _check_out(out: Path, *, force: bool) -> None:
    """Refuse a target that cannot be written before any row is read."""
    if out.suffix.lower() != ".parquet":
        raise OutputError(message("a file ending in .parquet", f"{out}"))
    check_writable(out, overwrite=force)


def _document(saved: ScoreTable, out: Path) -> dict[str, Any]:
    return {
        "n": saved.n,
        "base_rate": saved.base_rate,
        "entries": len(saved),
        "grid": saved.grid,
        "score_scale": saved.scale,
        "written": [str(out)],
    }


def _print(saved: ScoreTable, out: Path) -> None:
    kind = "distinct scores" if saved.grid is None else "bins of width 2^-20"
    say(
        f"wrote {out}: {saved.n:,} rows ({saved.base_rate:.1%} labelled positive), "
        f"{len(saved):,} {kind}; score scale: {saved.scale}"
    )
