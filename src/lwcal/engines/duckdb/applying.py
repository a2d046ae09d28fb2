"""``apply``: write the rows of any source with their calibrated probabilities to a file."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lwcal.atomic_files import check_writable, replacing
from lwcal.engines.class_columns import (
    CALIBRATED,
    calibrated_columns,
    class_columns,
    is_one_column,
    new_columns,
    refuse_scale,
)
from lwcal.engines.duckdb.mapping import CalibratedRows, ClassColumns, ScoreColumn
from lwcal.engines.duckdb.session import explained
from lwcal.engines.duckdb.source import Source, opened
from lwcal.engines.duckdb.writing import write_rows
from lwcal.errors import InputError, ParameterError, SegmentWarning, message
from lwcal.files import Format, PathLike, format_of
from lwcal.maps import Map
from lwcal.rows.faults import DROP_SHARE, InvalidRows, check_drop_share
from lwcal.score_map import HasClassScoreMap, HasScoreMap, as_class_score_map, as_score_map

if TYPE_CHECKING:
    from lwcal.engines.duckdb.segment_mapping import SegmentColumns
    from lwcal.segments import Segments  # its import brings scikit-learn


class Applied(NamedTuple):
    """How many rows were written, which were dropped, and what to say of other segments."""

    rows: int
    dropped: InvalidRows
    other_segments: str = ""


def apply(
    source: Any,
    calibrator: HasScoreMap | HasClassScoreMap | Map | Segments,
    score: str | Sequence[str],
    out: PathLike,
    *,
    segment: str | Sequence[str] | None = None,
    column: str = CALIBRATED,
    replace_column: bool = False,
    scale: str | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    overwrite: bool = False,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> int:
    r"""Write the rows of a source with a column of calibrated probabilities.

    All other columns are kept as they came, and so is the order of the rows if the source has one.
    Columns of CSV are text, so they are text in the file too: 007 stays 007. The file is written
    atomically. Memory does not grow with the number of rows.

    Parameters
    ----------
    source : str, path or frame
        As for :func:`reduce`.
    calibrator : fitted calibrator, its map, or Segments
    score : str or list of str
        Name of the column of scores. For a calibrator of several classes: a pattern (``"p_*"``),
        or a list of columns. They are matched to the classes by their names.
    out : str or path
        Parquet, CSV (.csv, .csv.gz), JSON lines or Arrow file; the ending decides.
    segment : str or list of str, optional
        With :class:`lwcal.segments.Segments`: the columns of segments; by default those of the fit.
        Rows of other segments get the calibrator of all rows, and a warning counts them.
    column : str, default "p_calibrated"
        Name of the new column. With several classes, each has its own: p_calibrated_cat, ...
    replace_column : bool, default False
        Whether to replace an existing column of that name.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; by default that of the fit. A map alone takes probabilities.
    drop_invalid : bool, default False
        Drop rows without a valid score, with a warning that counts them.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are invalid, nothing is written.
    overwrite : bool, default False
        Whether to replace an existing file.
    form, table, connection, threads : optional
        As for :func:`reduce`.

    Returns
    -------
    int
        Number of rows written.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> calibrator = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "new.csv").write_text("id,p\n007,0.5\n")
    ...     rows = lwcal.engines.duckdb.apply(
    ...         f"{folder}/new.csv", calibrator, score="p", out=f"{folder}/out.csv"
    ...     )
    ...     print(Path(folder, "out.csv").read_text()[:25])
    id,p,p_calibrated
    007,0.5
    """
    known = format_of(str(out))
    check_drop_share(allow_drop_share)
    check_writable(out, overwrite=overwrite)
    with (
        opened(source, form=form, table=table, connection=connection, threads=threads) as rows,
        replacing(out, overwrite=overwrite) as temporary,
    ):
        done = apply_source(
            rows,
            calibrator,
            score,
            temporary,
            known,
            segment=segment,
            column=column,
            replace_column=replace_column,
            scale=scale,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
            shown=str(out),
        )
    done.dropped.warn()
    if done.other_segments:
        warnings.warn(done.other_segments, SegmentWarning, stacklevel=2)
    return done.rows


def apply_source(
    source: Source,
    calibrator: HasScoreMap | HasClassScoreMap | Map | Segments,
    score: str | Sequence[str],
    target: PathLike,
    form: Format,
    *,
    segment: str | Sequence[str] | None = None,
    column: str,
    replace_column: bool = False,
    scale: str | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    shown: str,
) -> Applied:
    """Write an open source to a file that the caller renames; see :func:`apply`."""
    scores: ScoreColumn | ClassColumns
    if hasattr(calibrator, "predict_places"):
        scores, columns = _by_segment(
            source, cast("Segments", calibrator), score, column, scale, replace_column, segment
        )
    else:
        if segment is not None:
            raise ParameterError(message("Segments with segment=", "one calibrator"))
        find = _one_column if is_one_column(score, source.columns) else _all_classes
        scores, columns = find(source, calibrator, score, column, scale, replace_column)
    rows = CalibratedRows(source, scores, columns, drop_invalid=drop_invalid)
    written = _write(rows, source, target, form, shown)
    scores.refuse_mixture(rows.invalid)
    if not drop_invalid:
        rows.invalid.refuse(scalable=scores.scalable)
    rows.invalid.check_drop_share(allow_drop_share, scalable=scores.scalable)
    if written == 0:
        raise InputError(f"{source.name} has no rows.")
    scores.refuse_doubtful(rows.invalid)
    return Applied(written, rows.invalid, scores.other_segments())


def _one_column(
    source: Source, calibrator: Any, score: Any, column: str, scale: str | None, replace: bool
) -> tuple[ScoreColumn, list[str]]:
    """Scores of two classes, and the column to add."""
    source.require([score])
    fitted = as_score_map(calibrator)
    new = new_columns([column], source.columns, replace=replace, source=source.name)
    return ScoreColumn(fitted, score, scale), new


def _by_segment(
    source: Source,
    fitted: Segments,
    score: Any,
    column: str,
    scale: str | None,
    replace: bool,
    segment: str | Sequence[str] | None,
) -> tuple[SegmentColumns, list[str]]:
    """Scores of two classes with the segments of their rows, and the column to add."""
    from lwcal.engines.duckdb.segment_mapping import SegmentColumns

    given = fitted.columns if segment is None else segment
    if given is None:
        raise ParameterError("The calibrators do not know their columns; name them with segment=.")
    names = [given] if isinstance(given, str) else list(given)
    source.require([score, *names])
    new = new_columns([column], source.columns, replace=replace, source=source.name)
    return SegmentColumns(fitted, score, scale, names), new


def _all_classes(
    source: Source, calibrator: Any, score: Any, column: str, scale: str | None, replace: bool
) -> tuple[ClassColumns, list[str]]:
    """Probabilities of all classes, and the columns to add."""
    refuse_scale(scale)
    fitted = as_class_score_map(calibrator)
    names = class_columns(score, source.columns).in_order(fitted.classes)
    wanted = calibrated_columns(column, fitted.classes)
    new = new_columns(wanted, source.columns, replace=replace, source=source.name)
    return ClassColumns(fitted, names), new


def _write(rows: CalibratedRows, source: Source, target: PathLike, form: Format, shown: str) -> int:
    try:
        with rows.reader() as reader:
            return write_rows(reader, target, form, shown=shown, row_bytes=rows.row_bytes)
    except Exception as error:
        if rows.failure is None or rows.failure is error:
            raise
        with explained(source.name):
            raise rows.failure from None
