"""``apply``: rows of any source, with their calibrated probabilities, to a file."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.calibrators import Calibrator
from lwcal.engines.duckdb.interpreting import interpreted
from lwcal.engines.duckdb.mapping import CalibratedRows
from lwcal.engines.duckdb.session import explained
from lwcal.engines.duckdb.source import Source, opened
from lwcal.engines.duckdb.writing import write_rows
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import PathLike, check_writable, replacing
from lwcal.formats import Format, format_of
from lwcal.maps import Map
from lwcal.rows.faults import InvalidRows


class Applied(NamedTuple):
    """What was written, and what was left out."""

    rows: int
    dropped: InvalidRows


def apply(
    source: Any,
    calibrator: Calibrator | Map,
    score: str,
    out: PathLike,
    *,
    column: str = "p_calibrated",
    replace_column: bool = False,
    drop_invalid: bool = False,
    overwrite: bool = False,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> int:
    r"""Write the rows of a source with a column of calibrated probabilities.

    All other columns are kept, and the order of the rows where the source has one. The file
    appears complete or not at all, and memory does not grow with the number of rows.

    Parameters
    ----------
    source : str, path or frame
        As for :func:`reduce`.
    calibrator : fitted calibrator, or its map
    score : str
        Name of the column of scores.
    out : str or path
        Parquet, CSV (.csv, .csv.gz), JSON lines or Arrow file, by its ending.
    column : str, default "p_calibrated"
        Name of the new column.
    replace_column : bool, default False
        Whether a column of that name may be replaced.
    drop_invalid : bool, default False
        Leave rows without a valid score out, with a warning that counts them.
    overwrite : bool, default False
        Whether an existing file may be replaced.
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
            column=column,
            replace_column=replace_column,
            drop_invalid=drop_invalid,
            shown=str(out),
        )
    done.dropped.warn()
    return done.rows


def apply_source(
    source: Source,
    calibrator: Calibrator | Map,
    score: str,
    target: PathLike,
    form: Format,
    *,
    column: str,
    replace_column: bool = False,
    drop_invalid: bool = False,
    shown: str,
) -> Applied:
    """Write an open source to a file that is the caller's to rename; see :func:`apply`."""
    source.require([score])
    if form.name != "csv":  # from CSV to CSV nothing but the score is interpreted: 007 stays 007
        source = interpreted(source)
    taken = next((name for name in source.columns if name.lower() == column.lower()), None)
    if taken is not None and not replace_column:
        hint = "choose one with --column, or replace it with --force-column"
        raise ParameterError(message(f"a new column name in {source.name}", repr(column), hint))
    rows = CalibratedRows(
        source, calibrator, score, column if taken is None else taken, drop_invalid=drop_invalid
    )
    try:
        with rows.reader() as reader:
            written = write_rows(reader, target, form, shown=shown, row_bytes=rows.row_bytes)
    except Exception as error:
        if rows.failure is None or rows.failure is error:
            raise
        with explained(source.name):
            raise rows.failure from None
    if not drop_invalid:
        rows.invalid.refuse()
    if written == 0:
        raise InputError(message(f"at least one row in {source.name}", "none"))
    return Applied(written, rows.invalid)
