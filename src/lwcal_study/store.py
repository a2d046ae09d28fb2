"""Finished cells on disk: one file each, written at once, so that a killed run can go on."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lwcal.files import write_json
from lwcal_study import cells
from lwcal_study.methods import GATES, METHODS, ORACLE, TRIMS
from lwcal_study.tasks import GENERATORS

PACKAGES = ("lwcal", "numpy", "scipy", "scikit-learn")


def fingerprint() -> str:
    """Short name of everything a cell's result depends on besides its coordinates."""
    settings = {
        "versions": {name: version(name) for name in PACKAGES},
        "generators": {name: tuple(values) for name, values in GENERATORS.items()},
        "methods": {name: repr(m()) for name, m in {**METHODS, **ORACLE, **GATES, **TRIMS}.items()},
        "split": (cells.TRAIN_SHARE, cells.TEST_SHARE_OF_REST),
        "asymmetric": (cells.POSITIVE_FACTOR, cells.NEGATIVE_FACTOR),
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


class Named(Protocol):
    """A cell of any study: its name tells it from all others."""

    @property
    def name(self) -> str:
        """Name for files."""


AnyCell = TypeVar("AnyCell", bound=Named)


class CellStore:
    """A folder with one JSON file per finished cell.

    Cells of another version of the study lie in another folder, so they are never mixed.

    Parameters
    ----------
    folder : Path
    settings : str, optional
        Name of everything that results depend on besides the cells' coordinates; by default
        the :func:`fingerprint` of the paper's study.
    """

    def __init__(self, folder: Path, settings: str | None = None) -> None:
        self.folder = folder / (fingerprint() if settings is None else settings)
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, cell: Named) -> Path:
        """Where the cell's result is, or will be."""
        return self.folder / f"{cell.name}.json"

    def missing(self, wanted: list[AnyCell]) -> list[AnyCell]:
        """Cells that have not been run yet."""
        return [cell for cell in wanted if not self.path(cell).exists()]

    def save(self, cell: Named, result: dict[str, Any]) -> None:
        """Keep a result; the file appears whole or not at all."""
        write_json(result, self.path(cell), overwrite=True)

    def load(self, cell: Named) -> dict[str, Any]:
        """Read a result."""
        result: dict[str, Any] = json.loads(self.path(cell).read_text(encoding="utf-8"))
        return result
