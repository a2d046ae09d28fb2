"""Tables in files, and the columns asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv, parquet

from lwcal.errors import InputError, message
from lwcal.files import check_writable, replacing
from lwcal.inputs import as_labels, as_scores, as_weights
from lwcal.kernels.arrays import FloatArray, LabelArray

FORMATS = (".csv", ".parquet")


def check_format(path: Path) -> None:
    """Refuse names whose ending does not tell the format."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(message(f"a file ending in {' or '.join(FORMATS)}", f"{path}"))


def read_table(path: Path) -> Any:
    """Read a whole CSV or Parquet file as an Arrow table."""
    check_format(path)
    if not path.exists():
        raise InputError(message(f"a file named {path}", "nothing there", "check the path"))
    reader = csv.read_csv if path.suffix.lower() == ".csv" else parquet.read_table
    try:
        table = reader(path)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    if table.num_rows == 0:
        raise InputError(message(f"at least one row in {path}", "none"))
    return table


def write_table(table: Any, path: Path, *, overwrite: bool) -> None:
    """Write an Arrow table as CSV or Parquet, complete or not at all."""
    writer = csv.write_csv if path.suffix.lower() == ".csv" else parquet.write_table
    with replacing(path, overwrite=overwrite) as temporary:
        writer(table, temporary)


def check_output(path: Path, *, overwrite: bool) -> None:
    """Refuse a table's target before any work is done for it."""
    check_format(path)
    check_writable(path, overwrite=overwrite)


def column(table: Any, name: str, path: Path) -> npt.NDArray[Any]:
    """One column as a numpy array; nulls become NaN or None."""
    if name not in table.column_names:
        available = ", ".join(table.column_names)
        raise InputError(message(f"a column {name!r} in {path}", f"the columns {available}"))
    values: npt.NDArray[Any] = table.column(name).to_numpy()
    return values


class Rows(NamedTuple):
    """The columns a fit needs, checked."""

    scores: FloatArray
    labels: LabelArray
    weights: FloatArray | None


def read_rows(
    path: Path, score: str, label: str, weight: str | None = None, pos_label: str | None = None
) -> Rows:
    """Read scores, labels and, when named, weights; errors speak of the columns by name."""
    table = read_table(path)
    labels = column(table, label, path)
    positive = parse_label(pos_label, labels)
    scores = as_scores(column(table, score, path), name=f"column {score!r}")
    return Rows(
        scores,
        as_labels(labels, pos_label=positive, name=f"column {label!r}"),
        None
        if weight is None
        else as_weights(column(table, weight, path), len(scores), name=f"column {weight!r}"),
    )


def parse_label(text: str | None, labels: npt.NDArray[Any]) -> Any:
    """Read --pos-label in the type of the label column."""
    if text is None or labels.dtype.kind in "OUS":
        return text
    try:
        if labels.dtype.kind == "b":
            return {"true": True, "false": False}[text.lower()]
        return float(text)
    except (KeyError, ValueError):
        raise InputError(
            message(f"--pos-label to be one of the labels ({labels.dtype})", repr(text))
        ) from None
