"""``lwcal apply``: add calibrated probabilities to rows of scores."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from lwcal.cli.calibrator_file import load_for_applying
from lwcal.cli.console import note, print_json
from lwcal.cli.options import STANDARD
from lwcal.cli.output import check_output, output_format, writing
from lwcal.cli.request import RowsRequest
from lwcal.engines.duckdb.applying import apply_source
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError, message
from lwcal.files import Format
from lwcal.rows.scales import PROBABILITY
from lwcal.score_map import ScoreMap

if TYPE_CHECKING:
    from lwcal.engines.spark.source import Source as SparkSource

SPARK_FORMATS = ("csv", "parquet", "jsonl")


def run(
    calibrator: Path,
    rows: RowsRequest,
    *,
    out: str,
    column_name: str,
    force_column: bool,
    out_format: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write the rows with the new column, and say how many there are."""
    if as_json and out == STANDARD:
        raise ParameterError(message("--out with a file name when --json is given", "-"))
    target = _target(rows, out, out_format, column_name, force_column, force)
    write = _write_on_spark if rows.on_spark else _write
    fitted = load_for_applying(calibrator)
    scale = rows.scale(fitted)
    written, dropped = write(rows, fitted, target)
    if as_json:
        also = {"dropped": dropped} if dropped else {}
        about = {"rows": written, "column": column_name, "score_scale": scale}
        print_json({**about, "written": [out], **also})
        return
    tell = note if out == STANDARD else print
    name = "" if out == STANDARD else f" {out}:"
    read = "" if scale == PROBABILITY else f"; score scale: {scale}"
    tell(f"wrote{name} {written:,} rows, new column {column_name}{read}")


class Target(NamedTuple):
    """Where the rows go, in which format, with which new column."""

    out: str
    form: Format
    column: str
    replace_column: bool
    overwrite: bool


def _target(
    rows: RowsRequest, out: str, form: str | None, column: str, replace_column: bool, force: bool
) -> Target:
    """Refuse a target that cannot be written before any row is read."""
    if not rows.on_spark:
        return Target(out, check_output(out, form, overwrite=force), column, replace_column, force)
    if out == STANDARD:
        raise ParameterError("--out - does not work with --engine spark; give a name.")
    known = output_format(out, form)
    if known.name not in SPARK_FORMATS:
        raise ParameterError(message("--out in csv, parquet or jsonl with --engine spark", out))
    return Target(out, known, column, replace_column, force)


def _write(rows: RowsRequest, calibrator: ScoreMap, target: Target) -> tuple[int, int]:
    """Write the rows on this machine; return how many were written and how many dropped."""
    scale = rows.scale(calibrator)
    with (
        ExitStack() as last,  # rows are printed after the source and its progress bar are closed
        rows.opened() as source,
    ):
        assert isinstance(source, Source)
        score = rows.find_score(source, scale)
        done = apply_source(
            source,
            calibrator,
            score,
            last.enter_context(writing(target.out, overwrite=target.overwrite)),
            target.form,
            column=target.column,
            replace_column=target.replace_column,
            scale=rows.score_scale,
            drop_invalid=rows.drop_invalid,
            allow_drop_share=rows.drop_share,
            shown="standard output" if target.out == STANDARD else target.out,
        )
    rows.announce(score)
    if done.dropped.faults:
        note(str(done.dropped))
    return done.rows, done.dropped.count


def _write_on_spark(rows: RowsRequest, calibrator: ScoreMap, target: Target) -> tuple[int, int]:
    """Write the rows from the workers of Spark; return how many were written and dropped."""
    scale = rows.scale(calibrator)
    with rows.opened() as source:
        from lwcal.engines.spark import applying

        score = rows.find_score(source, scale)
        done = applying.apply_source(
            cast("SparkSource", source),
            calibrator,
            score,
            target.out,
            target.form,
            column=target.column,
            replace_column=target.replace_column,
            scale=rows.score_scale,
            drop_invalid=rows.drop_invalid,
            allow_drop_share=rows.drop_share,
            overwrite=target.overwrite,
        )
    rows.announce(score)
    if done.dropped:
        total = done.rows + done.dropped
        note(f"dropped {done.dropped:,} of {total:,} rows without a valid score")
    return done
