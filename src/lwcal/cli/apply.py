"""``lwcal apply``: add calibrated probabilities to rows of scores."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from lwcal.cli.calibrator_file import (
    holds_segments,
    load_for_applying,
    load_for_classes,
    load_with_segments,
)
from lwcal.cli.console import note, print_json
from lwcal.cli.options import STANDARD
from lwcal.cli.output import check_output, output_format, writing
from lwcal.cli.request import RowsRequest
from lwcal.engines.class_columns import calibrated_columns, refuse_scale
from lwcal.engines.duckdb.applying import apply_source
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError, message
from lwcal.files import Format
from lwcal.rows.scales import PROBABILITY
from lwcal.score_map import ClassScoreMap, ScoreMap

if TYPE_CHECKING:
    from lwcal.engines.spark.source import Source as SparkSource
    from lwcal.segments import Segments

SPARK_FORMATS = ("csv", "parquet", "jsonl")
AnyScoreMap: TypeAlias = "ScoreMap | ClassScoreMap | Segments"
"""What the scores of one class meet, those of all classes, or those of each segment."""


def run(
    calibrator: Path,
    rows: RowsRequest,
    *,
    segment: list[str],
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
    fitted = _load(calibrator, rows, segment)
    scale = _scale(rows, fitted)
    written, dropped = write(rows, fitted, target)
    new = _new_columns(fitted, column_name)
    if as_json:
        also = {"dropped": dropped} if dropped else {}
        about = {"rows": written, **new, "score_scale": scale}
        print_json({**about, "written": [out], **also})
        return
    tell = note if out == STANDARD else print
    name = "" if out == STANDARD else f" {out}:"
    read = "" if scale == PROBABILITY else f"; score scale: {scale}"
    tell(f"wrote{name} {written:,} rows, {_shown(new)}{read}")


def _load(path: Path, rows: RowsRequest, segment: list[str]) -> AnyScoreMap:
    """Load what the scores meet."""
    if holds_segments(path):
        if rows.on_spark:
            raise ParameterError("Calibrators of segments need --engine duckdb.")
        return load_with_segments(path, segment)
    if segment and path.is_file():  # a missing file is reported as such
        raise ParameterError(f"{path} holds one calibrator; leave --segment out.")
    return load_for_classes(path) if rows.names_classes() else load_for_applying(path)


def _scale(rows: RowsRequest, fitted: AnyScoreMap) -> str:
    if not isinstance(fitted, ClassScoreMap):
        return rows.scale(fitted)
    refuse_scale(rows.score_scale)
    return PROBABILITY


def _new_columns(fitted: AnyScoreMap, column: str) -> dict[str, Any]:
    """The new columns, for programs."""
    if not isinstance(fitted, ClassScoreMap):
        return {"column": column}
    return {"columns": calibrated_columns(column, fitted.classes)}


def _shown(new: dict[str, Any]) -> str:
    """The new columns, for people.

    >>> _shown({"columns": ["p_a", "p_b", "p_c", "p_d"]})
    'new columns p_a, p_b, ..., p_d'
    """
    if "column" in new:
        return f"new column {new['column']}"
    first, second, *others = new["columns"]
    return ", ".join(
        [f"new columns {first}", second, *(["..."] if len(others) > 1 else []), *others[-1:]]
    )


def _score(rows: RowsRequest, source: "Source | SparkSource", fitted: AnyScoreMap) -> str:
    """Name of the column of scores, or the names of those of all classes as they were given."""
    if not isinstance(fitted, ClassScoreMap):
        return rows.find_score(source, rows.scale(fitted))
    return str(rows.score)


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


def _write(rows: RowsRequest, calibrator: AnyScoreMap, target: Target) -> tuple[int, int]:
    """Write the rows on this machine; return how many were written and how many dropped."""
    with (
        ExitStack() as last,  # rows are printed after the source and its progress bar are closed
        rows.opened() as source,
    ):
        assert isinstance(source, Source)
        score = _score(rows, source, calibrator)
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
    if done.other_segments:
        note(done.other_segments)
    return done.rows, done.dropped.count


def _write_on_spark(rows: RowsRequest, calibrator: AnyScoreMap, target: Target) -> tuple[int, int]:
    """Write the rows from the workers of Spark; return how many were written and dropped."""
    with rows.opened() as source:
        from lwcal.engines.spark import applying

        score = _score(rows, source, calibrator)
        done = applying.apply_source(
            cast("SparkSource", source),
            cast("ScoreMap | ClassScoreMap", calibrator),  # others were refused
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
