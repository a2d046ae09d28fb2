"""``lwcal apply``: a calibrator and rows of scores to calibrated probabilities."""

from contextlib import ExitStack
from typing import Annotated

import typer

from lwcal.cli import options
from lwcal.cli.columns import SAMPLE, Asked, say_dropped, say_found
from lwcal.cli.completion import one_of
from lwcal.cli.console import note, print_json
from lwcal.cli.finding import find_score
from lwcal.cli.loading import load_calibrator
from lwcal.cli.on_spark import apply_on_spark
from lwcal.cli.output import check_output, output_format, writing
from lwcal.cli.sources import STANDARD, open_source, read_sample
from lwcal.cli.where import DUCKDB, Where
from lwcal.engines.duckdb.applying import apply_source
from lwcal.errors import ParameterError, message
from lwcal.formats import COMPRESSED


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
    table: options.DatabaseTable = None,
    engine: options.Engine = DUCKDB,
    master: options.Master = None,
    drop_invalid: options.DropInvalid = False,
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
    where = Where(engine, master).checked()
    if where.is_spark:
        if out == STANDARD:
            raise ParameterError(message("--out with a name for --engine spark", "-"))
        spark_rows, dropped = apply_on_spark(
            load_calibrator(calibrator),
            scores,
            out,
            output_format(out, out_format),
            Asked(score, id=id_column, form=form, table=table),
            where,
            column=column_name,
            replace_column=force_column,
            drop_invalid=drop_invalid,
            overwrite=force,
        )
        _report(spark_rows, dropped, column_name, out, as_json=as_json)
        return
    target = check_output(out, out_format, overwrite=force)
    fitted = load_calibrator(calibrator)
    with (
        ExitStack() as last,  # rows are printed when the source is closed, and its bar gone
        open_source(scores, form, table=table, id_column=id_column) as rows,
    ):
        name = score or find_score(read_sample(rows, SAMPLE), rows.name)
        done = apply_source(
            rows,
            fitted,
            name,
            last.enter_context(writing(out, overwrite=force)),
            target,
            column=column_name,
            replace_column=force_column,
            drop_invalid=drop_invalid,
            shown="standard output" if out == STANDARD else out,
        )
    say_found("score", score, name)
    say_dropped(done.dropped)
    _report(done.rows, done.dropped.count, column_name, out, as_json=as_json)


def _report(rows: int, dropped: int, column: str, out: str, *, as_json: bool) -> None:
    if as_json:
        also = {"dropped": dropped} if dropped else {}
        print_json({"rows": rows, "column": column, "written": [out], **also})
    elif out != STANDARD:
        print(f"wrote {out}: {rows:,} rows, new column {column}")
    else:
        note(f"wrote {rows:,} rows, new column {column}")
