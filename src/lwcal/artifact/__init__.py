"""Save and load fitted calibrators in a format that later versions can read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lwcal.artifact.document import from_document, to_document
    from lwcal.artifact.fields import SCHEMA_VERSION
    from lwcal.artifact.storage import load, load_segments, save

__all__ = ["SCHEMA_VERSION", "from_document", "load", "load_segments", "save", "to_document"]

# Names are imported on first use: applying a saved map needs no calibrator.
_MODULES = {
    "SCHEMA_VERSION": "fields",
    "from_document": "document",
    "load": "storage",
    "load_segments": "storage",
    "save": "storage",
    "to_document": "document",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"lwcal.artifact.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'lwcal.artifact' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
