"""How to make the page again: versions, fingerprints of the inputs, the command, the date."""

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
from lwcal.report.data import Fingerprint, Provenance

SOFTWARE = ("numpy", "scipy", "scikit-learn")
PYTHON_CALL = "lwcal.report.write_report(calibrator, scores, y, path)"


def of_files(files: Mapping[str, PathLike], command: str, created: datetime | None) -> Provenance:
    """Fingerprint files, each by what it is for and its name without the folder."""
    found = tuple(
        Fingerprint(f"{what}: {Path(path).name}", _sha256_of(Path(path)))
        for what, path in files.items()
    )
    return Provenance(_stamp(created), command, found, _versions())


def of_columns(
    calibrator: Calibrator, scores: FloatArray, labels: LabelArray, created: datetime | None
) -> Provenance:
    """Fingerprint columns that came without a file: their values as bytes."""
    document = json.dumps(to_document(calibrator), sort_keys=True).encode()
    found = (
        Fingerprint("calibrator: as JSON with sorted keys", hashlib.sha256(document).hexdigest()),
        Fingerprint("scores: as float64", _sha256(scores.astype("<f8"))),
        Fingerprint("labels: as 0 and 1 in uint8", _sha256(labels)),
    )
    return Provenance(_stamp(created), PYTHON_CALL, found, _versions())


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
