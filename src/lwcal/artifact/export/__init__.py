"""Fitted calibrators in other languages: SQL, ONNX, Python without dependencies, JSON Schema."""

from lwcal.artifact.export.command import TARGETS, export
from lwcal.artifact.export.simplification import simplify

__all__ = ["TARGETS", "export", "simplify"]
