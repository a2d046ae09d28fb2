"""Record how to reproduce the page: command, fingerprints of the inputs, versions and date."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

from lwcal._version import __version__
from lwcal.arrays import FloatArray, LabelArray
from lwcal.artifact.document import to_document
from lwcal.calibrators import Calibrator
from lwcal.files import PathLike
from lwcal.multiclass.class_rows import ClassRows
from lwcal.report.report_data import Fingerprint, Reproduction
from lwcal.table import ScoreTable

SOFTWARE = ("numpy", "scipy", "scikit-learn")
ROWS_CALL = "lwcal.report.write_report(calibrator, scores, y, path=path)"
TABLE_CALL = "lwcal.report.write_report(calibrator, table, path=path)"


def of_files(
    files: Mapping[str, PathLike],
    command: str,
    created: datetime | None,
    *,
    calibrator: str = "",
    rows: str = "FILE",
    new_rows: str = "NEW.csv",
    weight: str | None = None,
) -> Reproduction:
    """Fingerprint files. Each is named by its role and its file name, without the folder.

    Parameters
    ----------
    files : mapping of str to path
        The files by their role.
    command : str
        Command that creates the page.
    created : datetime or None
        Date of the page; None for now.
    calibrator : str
        Name of the calibrator's file, for the next command.
    rows : str
        What the next command needs to read the rows.
    new_rows : str
        What it needs to read new rows.
    weight : str, optional
        Column of weights.
    """
    found = tuple(
        Fingerprint(f"{what}: {Path(path).name}", _sha256_of(Path(path)))
        for what, path in files.items()
    )
    named = (calibrator, rows, new_rows, weight)
    return Reproduction(_stamp(created), command, found, _versions(), *named)


def of_rows(
    calibrator: Calibrator, scores: FloatArray, labels: LabelArray, created: datetime | None
) -> Reproduction:
    """Fingerprint rows that did not come from a file, by their values as bytes."""
    found = (
        _fingerprint(calibrator),
        Fingerprint("scores: as float64", _sha256(scores.astype("<f8"))),
        Fingerprint("labels: as 0 and 1 in uint8", _sha256(labels)),
    )
    return Reproduction(_stamp(created), ROWS_CALL, found, _versions())


def of_table(calibrator: Calibrator, table: ScoreTable, created: datetime | None) -> Reproduction:
    """Fingerprint the columns of a table, by their values as bytes."""
    columns = {
        "scores": table.scores,
        "negatives": table.negatives,
        "positives": table.positives,
    }
    found = (
        _fingerprint(calibrator),
        *(
            Fingerprint(f"{name} of the table: as float64", _sha256(column.astype("<f8")))
            for name, column in columns.items()
        ),
    )
    return Reproduction(_stamp(created), TABLE_CALL, found, _versions())


def of_class_rows(
    calibrator: Calibrator, rows: ClassRows, created: datetime | None
) -> Reproduction:
    """Fingerprint the distinct rows of several classes in their own order, as bytes."""
    columns = {
        "scores: as float64": rows.scores.astype("<f8"),
        "labels: as numbers of columns in int64": rows.labels.astype("<i8"),
        "weights: as float64": rows.weights.astype("<f8"),
    }
    found = (
        _fingerprint(calibrator),
        *(Fingerprint(name, _sha256(column)) for name, column in columns.items()),
    )
    return Reproduction(_stamp(created), ROWS_CALL, found, _versions())


def _fingerprint(calibrator: Calibrator) -> Fingerprint:
    document = json.dumps(to_document(calibrator), sort_keys=True).encode()
    name = "calibrator: as JSON with sorted keys"
    return Fingerprint(name, hashlib.sha256(document).hexdigest())


def _sha256(column: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> str:
    return hashlib.sha256(np.ascontiguousarray(column).tobytes()).hexdigest()


def _sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _stamp(created: datetime | None) -> str:
    when = datetime.now(UTC) if created is None else created
    return when.isoformat(timespec="seconds")


def _versions() -> tuple[tuple[str, str], ...]:
    packages = tuple((name, version(name)) for name in SOFTWARE)
    return (("lwcal", __version__), ("Python", platform.python_version()), *packages)
