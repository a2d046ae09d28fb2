"""``export``: one function for all targets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from lwcal.artifact.export.class_sql import QueryNames, class_map_to_sql
from lwcal.artifact.export.dbt import to_dbt
from lwcal.artifact.export.dialects import DIALECTS, dialect_named
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.exported_maps import ExportedMaps, collect_maps
from lwcal.artifact.export.json_schema import json_schema
from lwcal.artifact.export.onnx_append import append_to_onnx
from lwcal.artifact.export.onnx_model import to_onnx
from lwcal.artifact.export.python import to_python
from lwcal.artifact.export.segments_sql import segments_to_sql
from lwcal.artifact.export.sql import to_sql
from lwcal.atomic_files import check_writable, replacing
from lwcal.errors import ParameterError, message
from lwcal.files import PathLike
from lwcal.parameters import OneOf, check_parameter
from lwcal.segments import Segments

OPTIONS = {
    "sql": ("dialect", "column", "segment", "from_table", "keep", "max_error"),
    "onnx": ("append_to", "max_error"),
    "python": ("max_error",),
    "dbt": ("dialect", "max_error"),
    "json-schema": (),
}
"""The options of each target."""
TARGETS = tuple(OPTIONS)
DEFAULT_COLUMN = "score"
DEFAULT_TABLE = "scores"
DEFAULT_MACRO = "calibrate"
CLASS = "{class}"
"""Place of the class in a name of columns."""


class Options(TypedDict, total=False):
    """Options of :func:`export`, for type checkers."""

    dialect: str | None
    column: str | Sequence[str] | None
    segment: str | Sequence[str] | None
    from_table: str | None
    keep: Sequence[str] | None
    max_error: float | None
    append_to: PathLike | None
    out: PathLike | None
    overwrite: bool


@overload
def export(calibrator: Any, to: Literal["onnx"], **options: Unpack[Options]) -> bytes: ...
@overload
def export(
    calibrator: Any, to: Literal["sql", "python", "dbt", "json-schema"], **options: Unpack[Options]
) -> str: ...
@overload
def export(calibrator: Any, to: str, **options: Unpack[Options]) -> str | bytes: ...


def export(
    calibrator: Any,
    to: str,
    *,
    dialect: str | None = None,
    column: str | Sequence[str] | None = None,
    segment: str | Sequence[str] | None = None,
    from_table: str | None = None,
    keep: Sequence[str] | None = None,
    max_error: float | None = None,
    append_to: PathLike | None = None,
    out: PathLike | None = None,
    overwrite: bool = False,
) -> str | bytes:
    """Export a fitted calibrator to another language.

    Values agree with ``predict`` to 1e-12, and exactly if the map has no logarithm. Scores are
    read on the scale of the fit. Scores that are missing, NaN or outside its range give NULL, NaN
    or None, and so do rows of classes whose sum is not near 1. SQL has percents and probabilities
    only: a calibrator of logits is refused.

    Parameters
    ----------
    calibrator : Calibrator, CalibratedClassifier or Segments
        A fitted calibrator, or a fitted classifier with one model. A classifier gets one
        expression or column per class. Two classes share the score of the second class. A
        calibrator of more than two classes becomes a query that returns a column for each class.
        Calibrators by segment become one SQL expression; other segments get the pooled one.
    to : "sql", "onnx", "python", "dbt" or "json-schema"
        The target. "dbt" is a macro with a test, named like the file ``out``; a file of the same
        name that ends with ``.yml`` describes them. The schema describes the files of
        :func:`lwcal.save`. It is the same for all calibrators, so ``calibrator`` may be None.
    dialect : str, optional
        With "sql" and "dbt": duckdb (the default), postgres, sqlite, spark, bigquery, snowflake or
        tsql.
    column : str or list of str, optional
        With "sql": the column of scores; default "score". With more than two classes, one
        column per class, or a name with ``{class}`` in the place of the class; default
        ``score_{class}``.
    segment : str or list of str, optional
        With "sql" and :class:`lwcal.segments.Segments`: the column of segments, or one for each
        part of their names; default: those of the fit, or "segment" if they were not told.
    from_table : str, optional
        With "sql" and a calibrator of more than two classes: the table that the query reads, also
        as ``schema.table``; default "scores".
    keep : list of str, optional
        With "sql" and a calibrator of more than two classes: columns of the table that the query
        returns too, such as a key.
    max_error : float, optional
        Drop knots of the map as long as no value changes by more than this.
    append_to : path, optional
        With "onnx": an ONNX file of a classifier. The calibrated probabilities become an
        additional output of it.
    out : path, optional
        File to write the result to, atomically.
    overwrite : bool, default False
        Replace an existing file.

    Returns
    -------
    str or bytes
        The exported text, or the bytes of an ONNX model.

    Examples
    --------
    >>> import lwcal
    >>> calibrator = lwcal.Isotonic().fit([0.25, 0.75], [0, 1])
    >>> print(lwcal.export(calibrator, "sql", dialect="duckdb", column="p"))
    -- Exported by lwcal ...
    -- Isotonic()
    -- Fitted to 2 labels.
    -- Map: piecewise_linear, 2 knots.
    -- SQL dialect: duckdb. NULL, NaN and scores outside [0, 1] give NULL.
    CASE WHEN isfinite("p") AND "p" >= 0.0000000000000000e+00 AND ...
    """
    check_parameter("to", to, OneOf(TARGETS))
    given = {
        "dialect": dialect,
        "column": column,
        "segment": segment,
        "from_table": from_table,
        "keep": keep,
        "max_error": max_error,
        "append_to": append_to,
    }
    _check_options(to, given)
    if to == "dbt":
        return _write_dbt(calibrator, dialect, max_error, out, overwrite=overwrite)
    content = _content(calibrator, to, **given)
    if out is not None:
        with replacing(out, overwrite=overwrite) as temporary:
            temporary.write_bytes(content if isinstance(content, bytes) else content.encode())
    return content


def _write_dbt(
    calibrator: Any,
    dialect: str | None,
    max_error: float | None,
    out: PathLike | None,
    *,
    overwrite: bool,
) -> str:
    """Write the macro and its properties, or neither; the file names the macro."""
    name = DEFAULT_MACRO if out is None else Path(out).stem
    chosen = dialect_named(next(iter(DIALECTS)) if dialect is None else dialect)
    files = to_dbt(collect_maps(calibrator, max_error), chosen, name)
    if out is not None:
        if Path(out).suffix != ".sql":
            hint = "dbt reads macros from files such as macros/calibrate.sql"
            raise ParameterError(message("a file that ends with .sql", f"{str(out)!r}", hint))
        properties = Path(out).with_suffix(".yml")
        check_writable(out, overwrite=overwrite)
        check_writable(properties, overwrite=overwrite)
        for path, text in ((out, files.macro), (properties, files.properties)):
            with replacing(path, overwrite=overwrite) as temporary:
                temporary.write_text(text, encoding="utf-8")
    return files.macro


def _check_options(to: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and name not in OPTIONS[to]:
            allowed = ", ".join(OPTIONS[to]) or "no options"
            raise ParameterError(message(f"{allowed} with {to!r}", name))


def _content(calibrator: Any, to: str, max_error: Any, append_to: Any, **names: Any) -> str | bytes:
    if to == "json-schema":
        return json.dumps(json_schema(), indent=1) + "\n"
    if isinstance(calibrator, Segments):
        return _segments(calibrator, to, max_error, **names)
    if names.pop("segment") is not None:
        got = type(calibrator).__name__
        raise ParameterError(message("Segments with segment=", got, "as fit_segments returns"))
    exported = collect_maps(calibrator, max_error)
    if to == "sql":
        return _sql(exported, **names)
    if to == "python":
        return to_python(exported)
    return to_onnx(exported) if append_to is None else append_to_onnx(exported, append_to)


def _segments(
    fitted: Segments,
    to: str,
    max_error: float | None,
    dialect: str | None,
    column: str | Sequence[str] | None,
    segment: str | Sequence[str] | None,
    **others: Any,
) -> str:
    given = [name for name, value in others.items() if value is not None]
    if to != "sql" or given or not isinstance(column, str | None):
        got = given[0] if given else repr(column) if to == "sql" else repr(to)
        hint = 'export segments["NL"].calibrator for one of them'
        raise ParameterError(message('"sql" and one column with Segments', got, hint))
    chosen = dialect_named(next(iter(DIALECTS)) if dialect is None else dialect)
    return segments_to_sql(fitted, chosen, column or DEFAULT_COLUMN, segment, max_error)


def _sql(
    exported: ExportedMaps | ExportedClassMap,
    dialect: str | None,
    column: str | Sequence[str] | None,
    from_table: str | None,
    keep: Sequence[str] | None,
) -> str:
    chosen = dialect_named(next(iter(DIALECTS)) if dialect is None else dialect)
    columns = _columns(column, exported.classes)
    if isinstance(exported, ExportedClassMap):
        names = QueryNames(DEFAULT_TABLE if from_table is None else from_table, columns, keep or ())
        return class_map_to_sql(exported, chosen, names)
    for name, value in (("from_table", from_table), ("keep", keep)):
        if value is not None:
            raise ParameterError(
                f"{name} belongs to the query of one calibrator of more than two classes. This "
                "export is an expression: write it into a query of your own."
            )
    return to_sql(exported, chosen, columns)


def _columns(column: str | Sequence[str] | None, classes: tuple[Any, ...]) -> list[str]:
    if column is None:
        column = f"{DEFAULT_COLUMN}_{CLASS}" if len(classes) > 2 else DEFAULT_COLUMN
    if not isinstance(column, str):
        return list(column)
    if len(classes) > 2 and CLASS in column:
        return [column.replace(CLASS, str(label)) for label in classes]
    return [column]
