"""Fitted calibrators as documents that outlive the process and the version that made them."""

from lwcal.artifact.document import SCHEMA_VERSION, from_document, to_document
from lwcal.artifact.storage import load, save

__all__ = ["SCHEMA_VERSION", "from_document", "load", "save", "to_document"]
