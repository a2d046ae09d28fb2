"""Calibrators by segment as one SQL expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lwcal.artifact.export.dialects import Dialect
from lwcal.artifact.export.exported_maps import ExportedMaps, collect_maps
from lwcal.artifact.export.sql import check_names, to_sql
from lwcal.errors import ParameterError, message
from lwcal.segments import Segments

DEFAULT_SEGMENT = "segment"


def segments_to_sql(
    fitted: Segments,
    dialect: Dialect,
    column: str,
    segment: str | Sequence[str] | None,
    max_error: float | None,
) -> str:
    """Write a CASE with one branch for each segment; other segments get the pooled calibrator.

    Parameters
    ----------
    fitted : Segments
    dialect : Dialect
    column : str
        The column of scores.
    segment : str or list of str, optional
        The column of segments, or one for each part of their names; default: "segment".
    max_error : float, optional
        See :func:`lwcal.export`.
    """
    names = (
        [DEFAULT_SEGMENT]
        if segment is None
        else [segment]
        if isinstance(segment, str)
        else [*segment]
    )
    check_names(names, "a column name")
    pooled, header = _expression(fitted.pooled, dialect, column, max_error)
    branches = []
    for key, one in fitted.segments.items():
        text, _ = _expression(one.calibrator, dialect, column, max_error)
        branches.append(f"WHEN {_is_segment(key, names, dialect)} THEN {text}")
    about = f"-- {len(branches):,} segments; others get the calibrator of all rows, described here."
    if not branches:
        return f"{header}\n{pooled}\n"
    return "\n".join([header, about, "CASE", *branches, f"ELSE {pooled} END", ""])


def _expression(
    calibrator: Any, dialect: Dialect, column: str, max_error: float | None
) -> tuple[str, str]:
    """The expression of one calibrator, and the comments at its top."""
    exported = collect_maps(calibrator, max_error)
    assert isinstance(exported, ExportedMaps)
    lines = to_sql(exported, dialect, [column]).splitlines()
    comments = [line for line in lines if line.startswith("-- ")]
    return "\n".join(lines[len(comments) :]), "\n".join(comments)


def _is_segment(key: Any, names: Sequence[str], dialect: Dialect) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    if len(parts) != len(names):
        expected = f"{len(parts)} columns for a segment such as {key!r}"
        raise ParameterError(message(expected, f"{len(names)}", "name them with segment="))
    return " AND ".join(
        f"{dialect.quote(name)} IS NULL"
        if part is None
        else f"{dialect.quote(name)} = {_literal(part, dialect)}"
        for name, part in zip(names, parts, strict=True)
    )


def _literal(value: Any, dialect: Dialect) -> str:
    """A text, a number or a boolean.

    >>> from lwcal.artifact.export.dialects import DIALECTS
    >>> _literal("it's", DIALECTS["duckdb"]), _literal(3, DIALECTS["duckdb"])
    ("'it''s'", '3')
    """
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool):
        return ("1" if plain else "0") if dialect.name == "tsql" else str(plain).upper()
    if isinstance(plain, int):
        return str(plain)
    if isinstance(plain, float):
        return dialect.number(plain)
    text = str(plain)
    if "\0" in text:
        raise ParameterError(message("names of segments without the null character", f"{text!r}"))
    if dialect.name in ("bigquery", "spark"):  # a backslash escapes there
        text = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        return f"'{text}'"
    return "'" + text.replace("'", "''") + "'"
