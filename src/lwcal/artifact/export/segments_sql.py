"""Calibrators by segment as one SQL expression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Write a CASE: curves of large segments, odds of the others, and the pooled calibrator.

    Parameters
    ----------
    fitted : Segments
    dialect : Dialect
    column : str
        The column of scores.
    segment : str or list of str, optional
        The column of segments, or one for each part of their names; default: those of the fit, or
        "segment" if they were not told.
    max_error : float, optional
        See :func:`lwcal.export`.
    """
    given = segment if segment is not None else fitted.columns or DEFAULT_SEGMENT
    names = [given] if isinstance(given, str) else [*given]
    check_names(names, "a column name")
    pooled, header = _expression(fitted.pooled, dialect, column, max_error)
    kinds = _kinds(fitted.names)
    branches = []
    for key, calibrator in fitted.curves.items():
        text, _ = _expression(calibrator, dialect, column, max_error)
        branches.append(f"WHEN {_is_segment(key, names, dialect, kinds)} THEN {text}")
    ratios = {
        _is_segment(key, names, dialect, kinds): ratio
        for key, ratio in zip(fitted.names, fitted.odds_ratios[:, 0].tolist(), strict=True)
        if key not in fitted.curves
    }
    if ratios:
        # other odds magnify an error of the pooled map
        most = max(max(ratio, 1.0 / ratio) for ratio in ratios.values())
        error = None if max_error is None else max_error / most
        against = [f"WHEN {key} THEN {dialect.number(1.0 / r)}" for key, r in ratios.items()]
        factor = "\n".join(["(CASE", *against, "END)"])
        text, _ = _expression(fitted.pooled, dialect, column, error, factor)
        keys = [key for key in fitted.names if key not in fitted.curves]
        branches.append(f"WHEN {_is_one_of(keys, names, dialect, kinds)} THEN {text}")
    about = (
        f"-- {len(fitted.names):,} segments, of which {len(fitted.curves):,} have a curve of their "
        "own; others get the calibrator of all rows, described here."
    )
    if not branches:
        return f"{header}\n{pooled}\n"
    return "\n".join([header, about, "CASE", *branches, f"ELSE {pooled} END", ""])


def _is_one_of(
    keys: Sequence[Any],
    names: Sequence[str],
    dialect: Dialect,
    kinds: Sequence[set[type]],
) -> str:
    """Whether a row is in one of several segments.

    Engines limit how deeply conditions are nested, so texts and numbers become one list.
    """
    plain = [key for key in keys if key is not None and not isinstance(key, tuple)]
    others = [key for key in keys if key is None or isinstance(key, tuple)]
    conditions = [_is_segment(key, names, dialect, kinds) for key in others]
    if plain:
        listed = ", ".join(_literal(key, dialect) for key in plain)
        conditions.insert(0, f"{_column(names[0], dialect, kinds[0])} IN ({listed})")
    return f"({' OR '.join(conditions)})" if len(conditions) > 1 else conditions[0]


def _expression(
    calibrator: Any,
    dialect: Dialect,
    column: str,
    max_error: float | None,
    odds_against: str | None = None,
) -> tuple[str, str]:
    """The expression of one calibrator, and the comments at its top."""
    exported = collect_maps(calibrator, max_error)
    assert isinstance(exported, ExportedMaps)
    lines = to_sql(exported, dialect, [column], odds_against).splitlines()
    comments = [line for line in lines if line.startswith("-- ")]
    return "\n".join(lines[len(comments) :]), "\n".join(comments)


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _kinds(keys: Iterable[Any]) -> list[set[type]]:
    """Types of the values in each column of the segments.

    >>> _kinds([("NL", 1.0), ("LU", None)]) == [{str}, {float, type(None)}]
    True
    """
    return [set(map(type, column)) for column in zip(*map(_parts, keys), strict=True)]


def _is_segment(
    key: Any, names: Sequence[str], dialect: Dialect, kinds: Sequence[set[type]]
) -> str:
    parts = _parts(key)
    if len(parts) != len(names):
        expected = f"{len(parts)} columns for a segment such as {key!r}"
        raise ParameterError(message(expected, f"{len(names)}", "name them with segment="))
    return " AND ".join(
        f"{_column(name, dialect, kind)} {_equals(part, dialect)}"
        for name, part, kind in zip(names, parts, kinds, strict=True)
    )


def _equals(value: Any, dialect: Dialect) -> str:
    return "IS NULL" if value is None else f"= {_literal(value, dialect)}"


def _column(name: str, dialect: Dialect, kinds: set[type]) -> str:
    """A column of segments in which NaN, too, is a missing value.

    >>> from lwcal.artifact.export.dialects import DIALECTS
    >>> _column("shop", DIALECTS["duckdb"], {str, type(None)})
    '"shop"'
    """
    quoted = dialect.quote(name)
    is_float = any(issubclass(kind, float) for kind in kinds)
    return dialect.without_nan(quoted) if is_float else quoted


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
