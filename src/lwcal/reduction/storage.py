"""Pooled counts on disk: a Parquet file that says what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ArtifactError, message, missing_extra
from lwcal.files import PathLike, replacing
from lwcal.reduction.counts import GRID, Counts, exact

KEY = b"lwcal_table"
VERSION = 1
EXACT = ("score", "negatives", "positives")
ROUNDED = ("low", "high", "negatives", "positives")


def save_counts(
    counts: Counts, limit: int | None, path: PathLike, *, overwrite: bool = True
) -> None:
    """Write counts; the file appears complete or not at all."""
    pa, parquet = _arrow()
    names = ROUNDED if counts.rounded else EXACT
    columns = counts[:4] if counts.rounded else counts[1:4]
    about = {"version": VERSION, "grid": GRID if counts.rounded else None, "limit": limit}
    table = pa.table(dict(zip(names, columns, strict=True)))
    table = table.replace_schema_metadata({KEY: json.dumps(about).encode()})
    with replacing(path, overwrite=overwrite) as temporary:
        parquet.write_table(table, temporary)


def is_table_file(path: PathLike) -> bool:
    """Whether a file calls itself a table of this library."""
    pa, parquet = _arrow()
    try:
        return KEY in (parquet.read_schema(path).metadata or {})
    except (OSError, pa.ArrowException):
        return False  # whoever reads it as rows says what is wrong with it


def load_counts(path: PathLike) -> tuple[Counts, int | None]:
    """Read counts and their limit, refusing whatever ``save_counts`` could not have written."""
    pa, parquet = _arrow()
    try:
        with Path(path).open("rb") as handle:  # so that the system tells what it has to tell
            table = parquet.read_table(handle)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ArtifactError(f"{path} cannot be read: {reason.removesuffix('.')}.") from None
    about = _about(table.schema.metadata or {}, path)
    names = EXACT if about["grid"] is None else ROUNDED
    if tuple(table.column_names) != names or set(map(str, table.schema.types)) != {"double"}:
        raise _damaged(path, f"columns of numbers named {', '.join(names)}", str(table.schema))
    columns = [np.asarray(column.to_numpy(), dtype=np.float64) for column in table.columns]
    if names == EXACT:
        counts = exact(*columns)
    else:
        low, high, negatives, positives = columns
        counts = Counts(low, high, negatives, positives, rounded=True)
    _check(counts, path)
    return counts, about["limit"]


def _about(metadata: dict[bytes, bytes], path: PathLike) -> dict[str, Any]:
    if KEY not in metadata:
        hint = "make one with lwcal table reduce (ScoreTable.save)"
        raise ArtifactError(message(f"{path} to be a saved table", "another Parquet file", hint))
    try:
        about = json.loads(metadata[KEY])
        version, grid, limit = (about[name] for name in ("version", "grid", "limit"))
    except (ValueError, TypeError, KeyError):
        raise _damaged(path, "what it says of itself to be readable", "something else") from None
    if version != VERSION or grid not in (None, GRID):
        hint = "a newer version of lwcal may have written it"
        got = f"version {version} with the grid {grid}"
        expected = f"{path} to have version {VERSION} and the grid {GRID} or none"
        raise ArtifactError(message(expected, got, hint))
    if not (limit is None or (isinstance(limit, int) and limit >= 0)):
        raise _damaged(path, "a limit that is a whole number", repr(limit))
    return {"grid": grid, "limit": limit}


def _check(counts: Counts, path: PathLike) -> None:
    for column in counts[:4]:
        if not np.isfinite(column).all():
            raise _damaged(path, "finite numbers", "others")
    bins = np.floor(counts.low / GRID) if counts.rounded else counts.low
    if not ((np.diff(bins) > 0).all() and (counts.low <= counts.high).all()):
        raise _damaged(path, "scores that increase", "others")
    if counts.rounded and (np.floor(counts.high / GRID) != bins).any():
        raise _damaged(path, "scores within their bins", "others")
    if len(bins) and not (counts.low[0] >= 0.0 and counts.high[-1] <= 1.0):
        raise _damaged(path, "scores in [0, 1]", "others")
    if not _are_weights(counts.negatives, counts.positives):
        raise _damaged(path, "a positive weight in every line", "others")


def _are_weights(negatives: FloatArray, positives: FloatArray) -> bool:
    return bool(
        (negatives >= 0).all() and (positives >= 0).all() and (negatives + positives > 0).all()
    )


def _damaged(path: PathLike, expected: str, got: str) -> ArtifactError:
    return ArtifactError(message(f"{expected} in {path}", got, "the file is damaged"))


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_extra("pyarrow", "cli", "saving and loading tables") from None
    return pyarrow, parquet
