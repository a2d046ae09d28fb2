"""``lwcal apply``: a calibrator and rows of scores to calibrated probabilities."""

from typing import Annotated, Any

import pyarrow as pa
import typer

from lwcal.cli import options
from lwcal.cli.columns import check_ids, checked_scores, say_found
from lwcal.cli.completion import one_of
from lwcal.cli.console import note, print_json
from lwcal.cli.finding import find_score
from lwcal.cli.formats import COMPRESSED
from lwcal.cli.loading import load_calibrator
from lwcal.cli.output import check_output, write_table
from lwcal.cli.sources import STANDARD, is_csv, read_table, shown
from lwcal.errors import ParameterError, message
from lwcal.kernels.arrays import FloatArray


def apply(
    calibrator: options.CalibratorFile,
    scores: options.ScoresFile,
    out: Annotated[
        str,
        typer.Option("--out", help="File to write, in the format of its ending; - to print."),
    ],
    score: options.Score = None,
    column_name: Annotated[
        str, typer.Option("--column", help="Name of the new column of probabilities.")
    ] = "p_calibrated",
    force_column: Annotated[
        bool, typer.Option("--force-column", help="Replace a column that has this name.")
    ] = False,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    out_format: Annotated[
        str | None,
        typer.Option(
            "--out-format", help="csv or jsonl, with --out -.", autocompletion=one_of(COMPRESSED)
        ),
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Add a column of calibrated probabilities; all other columns and the row order are kept.

    Example: lwcal apply lwcal-demo/calibrator.json lwcal-demo/calibration.csv --out new.parquet
    """
    if as_json and out == STANDARD:
        raise ParameterError(message("--out with a file name when --json is given", "-"))
    target = check_output(out, out_format, overwrite=force)
    fitted = load_calibrator(calibrator)
    # from CSV to CSV nothing but the new column is interpreted: 007 stays 007
    table = read_table(scores, form, text=target.name == "csv" and is_csv(scores, form))
    check_ids(table, id_column, scores)
    if column_name in table.column_names and not force_column:
        hint = "choose one with --column, or replace it with --force-column"
        expected = f"a new column name in {shown(scores)}"
        raise ParameterError(message(expected, repr(column_name), hint))
    name = score or find_score(table, scores)
    calibrated = fitted.predict(checked_scores(table, name, scores))
    write_table(_with_column(table, column_name, calibrated), out, target, overwrite=force)
    say_found("score", score, name)
    _report(table.num_rows, column_name, out, as_json=as_json)


def _with_column(table: Any, name: str, values: FloatArray) -> Any:
    if name in table.column_names:
        return table.set_column(table.column_names.index(name), name, pa.array(values))
    return table.append_column(name, pa.array(values))


def _report(rows: int, column: str, out: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"rows": rows, "column": column, "written": [out]})
    elif out != STANDARD:
        print(f"wrote {out}: {rows:,} rows, new column {column}")
    else:
        note(f"wrote {rows:,} rows, new column {column}")
