"""Save and load fitted calibrators in a format that later versions can read."""

from typing import TYPE_CHECKING

from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.artifact.document import from_document, to_document
    from lwcal.artifact.fields import SCHEMA_VERSION
    from lwcal.artifact.storage import load, load_classifier, load_segments, save

__all__ = [
    "SCHEMA_VERSION",
    "from_document",
    "load",
    "load_classifier",
    "load_segments",
    "save",
    "to_document",
]

# Names are imported on first use: applying a saved map needs no calibrator.
_MODULES = {
    "SCHEMA_VERSION": ".fields",
    "from_document": ".document",
    "load": ".storage",
    "load_classifier": ".storage",
    "load_segments": ".storage",
    "save": ".storage",
    "to_document": ".document",
}

__getattr__, __dir__ = lazy_names(__name__, __all__, _MODULES)
