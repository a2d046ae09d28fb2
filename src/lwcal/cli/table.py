"""``lwcal table``: rows to small tables where they lie, and tables to one."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.cli import options
from lwcal.cli.columns import Asked
from lwcal.cli.console import print_json, stdout
from lwcal.cli.saved import reduce_rows
from lwcal.cli.where import DUCKDB, Where
from lwcal.errors import OutputError, message
from lwcal.files import check_writable
from lwcal.table import ScoreTable

table = typer.Typer(
    help="Reduce rows to a table of counts, and merge such tables; lwcal fit takes them.",
    no_args_is_help=True,
)
TableOut = Annotated[Path, typer.Option("--out", help="Parquet file to write the table to.")]


@table.command()
def reduce(
    scores: options.ScoresFile,
    out: TableOut,
    score: options.Score = None,
    label: options.Label = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    database_table: options.DatabaseTable = None,
    engine: options.Engine = DUCKDB,
    master: options.Master = None,
    drop_invalid: options.DropInvalid = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Count labels by score, so that a fit needs the rows no more.

    Example: lwcal table reduce lwcal-demo/calibration.csv --out may.parquet
    """
    _check_out(out, force=force)
    asked = Asked(score, label, weight, pos_label, id_column, form, database_table)
    where = Where(engine, master).checked()
    made = reduce_rows(scores, asked, where, drop_invalid=drop_invalid)
    _save(made.table, out, force=force, as_json=as_json)


@table.command()
def merge(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLES", help="Files that `table reduce` wrote.")
    ],
    out: TableOut,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add up the tables of parts of the data: of shards, or of days.

    Example: lwcal table merge may.parquet june.parquet --out both.parquet
    """
    _check_out(out, force=force)
    merged = ScoreTable.merge(ScoreTable.load(path) for path in tables)
    _save(merged, out, force=force, as_json=as_json)


def _check_out(out: Path, *, force: bool) -> None:
    """Refuse what cannot work before any row is read."""
    if out.suffix.lower() != ".parquet":
        raise OutputError(message("a file ending in .parquet", f"{out}"))
    check_writable(out, overwrite=force)


def _save(made: ScoreTable, out: Path, *, force: bool, as_json: bool) -> None:
    made.save(out, overwrite=force)
    if as_json:
        print_json(
            {
                "n": made.n,
                "base_rate": made.base_rate,
                "entries": len(made),
                "grid": made.grid,
                "written": [str(out)],
            }
        )
        return
    kind = "distinct scores" if made.grid is None else "bins of width 2^-20"
    stdout().print(
        f"wrote {out}: {made.n:,} rows ({made.base_rate:.1%} labelled positive), "
        f"{len(made):,} {kind}",
        soft_wrap=True,
    )
