"""Save and load fitted calibrators in a format that later versions can read."""

from lwcal.artifact.document import SCHEMA_VERSION, from_document, to_document
from lwcal.artifact.storage import load, save

__all__ = ["SCHEMA_VERSION", "from_document", "load", "save", "to_document"]
