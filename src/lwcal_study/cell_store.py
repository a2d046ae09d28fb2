"""Store finished cells on disk, one file each, so that a stopped run can be resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lwcal_study.files import write_json


class Named(Protocol):
    """A cell of any study. Its name is unique."""

    @property
    def name(self) -> str:
        """Name of its file."""


AnyCell = TypeVar("AnyCell", bound=Named)


class CellStore:
    """A folder with one JSON file per finished cell.

    Parameters
    ----------
    folder : Path
    settings : str
        Fingerprint of everything that results depend on besides the coordinates of a cell.
        Each fingerprint has its own folder, so results of different versions never mix.
    """

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder = folder / settings
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, cell: Named) -> Path:
        """File of the cell's result."""
        return self.folder / f"{cell.name}.json"

    def missing(self, wanted: list[AnyCell]) -> list[AnyCell]:
        """Cells without a stored result."""
        return [cell for cell in wanted if not self.path(cell).exists()]

    def save(self, cell: Named, result: dict[str, Any]) -> None:
        """Store a result atomically."""
        write_json(result, self.path(cell))

    def load(self, cell: Named) -> dict[str, Any]:
        """Read a result."""
        result: dict[str, Any] = json.loads(self.path(cell).read_text(encoding="utf-8"))
        return result
