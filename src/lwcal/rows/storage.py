"""Keep pooled counts on disk, in a Parquet file that describes itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lwcal.atomic_files import replacing
from lwcal.errors import ArtifactError, LwcalError, missing_extra
from lwcal.files import PathLike
from lwcal.rows.counts import GRID, Counts, exact_counts, rounded_counts
from lwcal.rows.scales import PROBABILITY, SCALES

KEY = b"lwcal_table"
VERSION = 1
EXACT = ("score", "negatives", "positives")
ROUNDED = ("low", "high", "negatives", "positives")


def save_counts(
    counts: Counts,
    limit: int | None,
    path: PathLike,
    *,
    scale: str = PROBABILITY,
    overwrite: bool = False,
) -> None:
    """Write counts atomically, with the scale on which their scores arrived."""
    pa, parquet = _arrow()
    names = ROUNDED if counts.rounded else EXACT
    columns = counts[:4] if counts.rounded else counts[1:4]
    about: dict[str, Any] = {
        "version": VERSION,
        "grid": GRID if counts.rounded else None,
        "limit": limit,
    }
    if scale != PROBABILITY:  # a field that earlier files lack needs no new version
        about["scale"] = scale
    table = pa.table(dict(zip(names, columns, strict=True)))
    table = table.replace_schema_metadata({KEY: json.dumps(about).encode()})
    with replacing(path, overwrite=overwrite) as temporary:
        parquet.write_table(table, temporary)


def is_table_file(path: PathLike) -> bool:
    """Whether a file was written by :func:`save_counts`."""
    pa, parquet = _arrow()
    try:
        return KEY in (parquet.read_schema(path).metadata or {})
    except (OSError, UnicodeDecodeError, pa.ArrowException):
        return False  # the function that reads it as rows reports the error


def load_counts(path: PathLike) -> tuple[Counts, int | None, str]:
    """Read counts, their limit and their scale; refuse what ``save_counts`` cannot have written."""
    table = read_parquet(path, refusal=ArtifactError)
    about = _about(table.schema.metadata or {}, path)
    names = EXACT if about["grid"] is None else ROUNDED
    if tuple(table.column_names) != names or set(map(str, table.schema.types)) != {"double"}:
        raise _damaged(path, f"its columns must be numbers named {', '.join(names)}")
    columns = [np.asarray(column.to_numpy(), dtype=np.float64) for column in table.columns]
    counts = exact_counts(*columns) if names == EXACT else rounded_counts(*columns)
    problem = counts.problem()
    if problem:
        raise _damaged(path, problem)
    return counts, about["limit"], about["scale"]


def read_parquet(path: PathLike, *, refusal: type[LwcalError]) -> Any:
    """Read a Parquet file as an Arrow table, or refuse it with an exception of this type."""
    pa, parquet = _arrow()
    try:
        with Path(path).open("rb") as handle:  # the system words its own errors best
            return parquet.read_table(handle)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise refusal(f"{path} cannot be read: {reason.removesuffix('.')}.") from None


def _about(metadata: dict[bytes, bytes], path: PathLike) -> dict[str, Any]:
    if KEY not in metadata:
        hint = "Make one with lwcal table reduce (ScoreTable.save)."
        raise ArtifactError(f"{path} is a Parquet file, but not a saved table. {hint}")
    try:
        about = json.loads(metadata[KEY])
        version, grid, limit = (about[name] for name in ("version", "grid", "limit"))
    except (ValueError, TypeError, KeyError):
        raise _damaged(path, "its description cannot be read") from None
    if version != VERSION or grid not in (None, GRID):
        raise ArtifactError(
            f"{path} has version {version} and the grid {grid}; this version of lwcal reads "
            f"version {VERSION} with the grid {GRID} or none. A newer version may have written it."
        )
    if not (limit is None or (isinstance(limit, int) and limit >= 0)):
        raise _damaged(path, f"its limit must be a whole number, not {limit!r}")
    scale = about.get("scale", PROBABILITY)
    if scale not in SCALES:
        raise _damaged(path, f"its scale must be one of {', '.join(SCALES)}, not {scale!r}")
    return {"grid": grid, "limit": limit, "scale": scale}


def _damaged(path: PathLike, problem: str) -> ArtifactError:
    return ArtifactError(f"{path} is damaged: {problem}.")


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_extra("pyarrow", "cli", "saving and loading tables") from None
    return pyarrow, parquet
