"""Export fitted calibrators to SQL, ONNX and plain Python, and the JSON Schema of their files."""

from lwcal.artifact.export.simplification import simplify
from lwcal.artifact.export.targets import TARGETS, export

__all__ = ["TARGETS", "export", "simplify"]
