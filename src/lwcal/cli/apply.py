"""``lwcal apply``: a calibrator and a file of scores to calibrated probabilities."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer
from rich.console import Console

from lwcal.artifact import load
from lwcal.cli import options
from lwcal.cli.columns import check_output, column, read_table, write_table
from lwcal.errors import ParameterError, message
from lwcal.inputs import as_scores


def apply(
    calibrator: options.CalibratorFile,
    scores: options.ScoresFile,
    score: options.Score,
    out: Annotated[Path, typer.Option("--out", help="CSV or Parquet file to write.")],
    column_name: Annotated[
        str, typer.Option("--column", help="Name of the new column of probabilities.")
    ] = "p_calibrated",
    force: options.Force = False,
) -> None:
    """Add a column of calibrated probabilities; all other columns and the row order are kept.

    Example: lwcal apply calibrator.json new.csv --score score --out calibrated.csv
    """
    check_output(out, overwrite=force)
    fitted = load(calibrator)
    table = read_table(scores)
    if column_name in table.column_names:
        raise ParameterError(
            message(f"a new column name in {scores}", repr(column_name), "choose one with --column")
        )
    raw = as_scores(column(table, score, scores), name=f"column {score!r}")
    calibrated = fitted.predict(raw)
    write_table(table.append_column(column_name, pa.array(calibrated)), out, overwrite=force)
    Console(highlight=False, soft_wrap=True).print(
        f"wrote {out}: {table.num_rows:,} rows, new column {column_name}"
    )
